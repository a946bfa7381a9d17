import type { Netns } from '@cni/netns/handle'
import type { StateFolder } from './state/state-folder.ts'

/** All input and output of a call. */
export interface PluginIo {
  /** Environment of the call. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads the configuration. Not called for VERSION, or if the environment is invalid. */
  stdin(): Uint8Array | string | Promise<Uint8Array | string>
  /** An abort of this signal ends the call early, as SIGTERM does. */
  readonly signal?: AbortSignal
  /** Opens network namespaces. Default: this machine's. */
  readonly netns?: NetnsPort
  /** Opens the folder of the plugin's `state`. Default: a folder of this machine. */
  stateFolder?(path: string): StateFolder
  /**
   * Absolute path of the plugin's file, under the name that the runtime called.
   * A marker next to the file says that the plugin is uninstalled. Without the path, no marker is read.
   */
  readonly executable?: string
  /** Receives each line of stderr, newline included, as it is written. */
  stderr?(line: string): void
  /**
   * Writes the result of a successful call; it is empty for all verbs except ADD.
   * If it throws or rejects, the call fails with that error and its undo steps run.
   * Error documents and the VERSION reply are only returned.
   */
  stdout?(document: string): void | Promise<void>
}

/** Reads stdin as bytes. */
export async function readInput(io: Pick<PluginIo, 'stdin'>): Promise<Uint8Array> {
  const input = await io.stdin()
  return typeof input === 'string' ? new TextEncoder().encode(input) : input
}

/** Opens the two namespaces of a call. */
export interface NetnsPort {
  /** Opens the container's namespace. Throws if the path is not a namespace. */
  open(path: string): Netns
  /** Opens the plugin's own namespace. */
  current(): Netns
}

/** Outcome of a call. */
export interface PluginOutcome {
  /** 1 if the call has failed. */
  readonly exitCode: 0 | 1
  /** Content of stdout: one JSON document, or empty. */
  readonly stdout: string
  /** Content of stderr: log of the call. */
  readonly stderr: string
}
