import type { ValidAttachment } from '@cni/types'
import type * as z from 'zod/v4/core'
import type { Log } from '../log.ts'
import type { StateFolder } from './state-folder.ts'

/** Type of a plugin's state. Without a state it is a compiler message that says how to declare one. */
export type DeclaredState<State> = [State] extends [undefined]
  ? 'c.state needs a schema: definePlugin({ state: attachmentState(schema), … })'
  : State

/** What ADD keeps of the attachment; CHECK and DEL read it. */
export interface AttachmentState<State> {
  /**
   * What was kept; `undefined` when nothing was. In DEL also when what is there says nothing usable, which is logged.
   *
   * @throws StateError in ADD and CHECK for a file that says nothing usable.
   */
  read(): DeclaredState<State> | undefined
  /**
   * Keeps an object until DEL, over what was there. Before a change it is a promise that a later DEL finds it, even if
   * this process is killed. When ADD fails, what was there before is put back, in the order of the other `undo` steps.
   *
   * @throws StateError when it cannot be written; TypeError for what the schema does not accept.
   */
  write(state: DeclaredState<State>): void
}

/** The state of a network's attachments, for GC. */
export interface NetworkState<State> {
  /** Of the attachments that are not valid any more. It is removed when the handler has succeeded. */
  stale(): ReadonlyArray<{
    /** `CNI_CONTAINERID` of the ADD. */
    readonly containerID: string
    /** `CNI_IFNAME` of the ADD. */
    readonly ifName: string
    /** State that the ADD wrote. */
    readonly state: DeclaredState<State>
  }>
}

/** State that a plugin keeps of an attachment: `attachmentState` makes one. */
export interface StateDefinition<State> {
  /** The schema of the state. */
  readonly schema: z.$ZodType<State>
  /** Opens the state that a call is about. */
  open(call: {
    readonly plugin: string
    readonly network: string
    readonly containerID: string
    readonly ifName: string
    readonly log: Log
    /** Registers the inverse of a write. */
    undo(step: () => unknown): void
    /** Where a folder really is; absent: where its path says. */
    readonly folder?: ((path: string) => StateFolder) | undefined
  }): {
    /** For ADD and CHECK: what is there and says nothing usable is an error. */
    readonly strict: AttachmentState<unknown>
    /** For DEL: what says nothing usable is logged, and counts as nothing. */
    readonly tolerant: Pick<AttachmentState<unknown>, 'read'>
    /** For GC. Without a list of the valid attachments nothing is known to be stale. */
    ofNetwork(valid: readonly ValidAttachment[] | undefined): NetworkState<unknown>
    /** After DEL has succeeded. Never fails: the address that a failing DEL keeps is worth more. */
    forget(): void
    /** After GC has succeeded. */
    sweep(valid: readonly ValidAttachment[] | undefined): void
  }
}

/** The call whose state is opened. */
export type StateCall = Parameters<StateDefinition<unknown>['open']>[0]

/** The state a call reads, writes and removes. */
export type CallState = ReturnType<StateDefinition<unknown>['open']>
