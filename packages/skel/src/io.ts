import type { Netns } from '@cni/netns/handle'
import type { StateFolder } from './state/state-folder.ts'

/** Everything a call may touch. */
export interface PluginIo {
  /** The environment of the call. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The configuration. Not called for VERSION, nor when the environment is wrong. */
  stdin(): Uint8Array | string | Promise<Uint8Array | string>
  /** Ends the call early, as SIGTERM does. */
  readonly signal?: AbortSignal
  /** How namespaces are opened; the machine's own when not said. */
  readonly netns?: NetnsPort
  /** Opens the folder of the plugin's `state`. Default: a folder of this machine. */
  stateFolder?(path: string): StateFolder
  /**
   * The absolute path of the plugin's file, under the name that the runtime called. A marker next to the file says that
   * the plugin is uninstalled. Without the path no marker is looked for.
   */
  readonly executable?: string
  /** Gets each line of stderr, newline included, as it is written. */
  stderr?(line: string): void
  /**
   * Writes the result of a call that succeeded; it is empty for all verbs but ADD. When it throws or rejects, the call
   * fails with that error and its undo steps run. Error documents and the answer to VERSION are only returned.
   */
  stdout?(document: string): void | Promise<void>
}

/** Stdin as it came. */
export async function readInput(io: Pick<PluginIo, 'stdin'>): Promise<Uint8Array> {
  const input = await io.stdin()
  return typeof input === 'string' ? new TextEncoder().encode(input) : input
}

/** Opens the two namespaces a call is about. */
export interface NetnsPort {
  /** The container's. Throws when there is none at the path. */
  open(path: string): Netns
  /** The plugin's own. */
  current(): Netns
}

/** What a call leaves behind. */
export interface PluginOutcome {
  /** 1 when the call has failed. */
  readonly exitCode: 0 | 1
  /** Exactly one JSON document, or nothing. */
  readonly stdout: string
  /** The log of the call. */
  readonly stderr: string
}
