import type { ValidAttachment } from '@cni/types'
import type * as z from 'zod/v4/core'
import type { Log } from '../log.ts'
import type { StateFolder } from './state-folder.ts'

/** Type of a plugin's state. Without a state it is a compiler message that explains how to declare one. */
export type DeclaredState<State> = [State] extends [undefined]
  ? 'c.state needs a schema: definePlugin({ state: attachmentState(schema), … })'
  : State

/** State that ADD stores for an attachment; CHECK and DEL read it. */
export interface AttachmentState<State> {
  /**
   * Stored state; `undefined` if nothing is stored. DEL also returns `undefined` for an unusable file, and logs it.
   *
   * @throws StateError in ADD and CHECK for an unusable file.
   */
  read(): DeclaredState<State> | undefined
  /**
   * Stores an object until DEL, and replaces earlier state.
   * Write state before the change that it describes: DEL then finds the state even if this process is killed.
   * If ADD fails, the earlier state is restored, in the order of the other `undo` steps.
   *
   * @throws StateError if it cannot be written; TypeError if the schema rejects it.
   */
  write(state: DeclaredState<State>): void
}

/** State of a network's attachments, for GC. */
export interface NetworkState<State> {
  /** State of attachments that are no longer valid. It is removed after the handler has succeeded. */
  stale(): ReadonlyArray<{
    /** `CNI_CONTAINERID` of the ADD. */
    readonly containerID: string
    /** `CNI_IFNAME` of the ADD. */
    readonly ifName: string
    /** State that the ADD wrote. */
    readonly state: DeclaredState<State>
  }>
}

/** State of a plugin's attachments, created by `attachmentState`. */
export interface StateDefinition<State> {
  /** Schema of the state. */
  readonly schema: z.$ZodType<State>
  /** Opens the state of a call. */
  open(call: {
    readonly plugin: string
    readonly network: string
    readonly containerID: string
    readonly ifName: string
    readonly log: Log
    /** Registers the inverse of a write. */
    undo(step: () => unknown): void
    /** Opens the state folder at a path, for example a folder in memory. Default: the folder on disk. */
    readonly folder?: ((path: string) => StateFolder) | undefined
  }): {
    /** State for ADD and CHECK: an unusable file is an error. */
    readonly strict: AttachmentState<unknown>
    /** State for DEL: an unusable file is logged, and counts as missing. */
    readonly tolerant: Pick<AttachmentState<unknown>, 'read'>
    /** State for GC. Without a list of valid attachments nothing counts as stale. */
    ofNetwork(valid: readonly ValidAttachment[] | undefined): NetworkState<unknown>
    /** Removes the state after a successful DEL. Never fails: a failed DEL would keep the pod's address allocated. */
    forget(): void
    /** Removes stale state after a successful GC. */
    sweep(valid: readonly ValidAttachment[] | undefined): void
  }
}

/** Call whose state is opened. */
export type StateCall = Parameters<StateDefinition<unknown>['open']>[0]

/** State that a call reads, writes and removes. */
export type CallState = ReturnType<StateDefinition<unknown>['open']>
