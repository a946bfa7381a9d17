import type { ValidAttachment } from '@cni/types'
import type * as z from 'zod/v4/core'
import type { Log } from '../log.ts'
import type { StateFolder } from './state-folder.ts'

/** Type of a plugin's state. Without a declared state, the type is a text that the compiler shows as an error. */
export type DeclaredState<State> = [State] extends [undefined]
  ? 'c.state needs a schema: definePlugin({ state: attachmentState(schema), … })'
  : State

/** State that ADD stores for an attachment. CHECK and DEL read this state. */
export interface AttachmentState<State> {
  /**
   * Reads the state of the attachment; `undefined` if nothing is stored. For an unusable state file, DEL returns
   * `undefined` and logs a warning.
   *
   * @throws StateError in ADD and CHECK for an unusable state file.
   */
  read(): DeclaredState<State> | undefined
  /**
   * Stores the state of the attachment until DEL, and replaces earlier state. Write the state before the change,
   * because the ADD process may be killed. If ADD fails, the earlier state is restored.
   *
   * @throws StateError if the state file cannot be written; TypeError if the schema rejects the state.
   */
  write(state: DeclaredState<State>): void
}

/** State of all attachments of a network, for GC. */
export interface NetworkState<State> {
  /**
   * Lists the state of attachments that are no longer valid. This state is removed after the GC handler has succeeded.
   */
  stale(): ReadonlyArray<{
    /** Container id of the stale attachment: `CNI_CONTAINERID` of its ADD. */
    readonly containerID: string
    /** Interface name of the stale attachment: `CNI_IFNAME` of its ADD. */
    readonly ifName: string
    /** State that the ADD of the stale attachment has written. */
    readonly state: DeclaredState<State>
  }>
}

/** Declaration of the state that a plugin stores for attachments, created by `attachmentState`. */
export interface StateDefinition<State> {
  /** Schema of the state that ADD stores. */
  readonly schema: z.$ZodType<State>
  /** Opens the stored state for a CNI call. GC gets the state of all attachments. */
  open(call: {
    readonly plugin: string
    readonly network: string
    readonly containerID: string
    readonly ifName: string
    readonly log: Log
    /** Registers a function that reverts a write of state, in case ADD fails. */
    undo(step: () => unknown): void
    /** Opens the folder for state files at a path. Default: the folder on disk. */
    readonly folder?: ((path: string) => StateFolder) | undefined
  }): {
    /** State for ADD and CHECK, where an unusable state file is an error. */
    readonly strict: AttachmentState<unknown>
    /** State for DEL, where an unusable state file is logged and counts as missing. */
    readonly tolerant: Pick<AttachmentState<unknown>, 'read'>
    /** State for GC. Without a list of valid attachments, no attachment counts as stale. */
    ofNetwork(valid: readonly ValidAttachment[] | undefined): NetworkState<unknown>
    /**
     * Removes the attachment's state after a successful DEL. Never fails: a failed DEL would keep the pod's address
     * allocated.
     */
    forget(): void
    /** Removes the state of stale attachments after a successful GC. */
    sweep(valid: readonly ValidAttachment[] | undefined): void
  }
}

/** CNI call for which stored state is opened: plugin, network, container and interface. */
export type StateCall = Parameters<StateDefinition<unknown>['open']>[0]

/** Attachment state that a CNI call reads, writes and removes. */
export type CallState = ReturnType<StateDefinition<unknown>['open']>
