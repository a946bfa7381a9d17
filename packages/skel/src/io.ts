import type { Netns } from '@cni/netns/handle'
import type { StateFolder } from './state/state-folder.ts'

/** All input and output of a CNI call, which tests can replace. */
export interface PluginIo {
  /** Environment variables of the CNI call. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads the network configuration from stdin. Not called for VERSION, or if the environment is invalid. */
  stdin(): Uint8Array | string | Promise<Uint8Array | string>
  /** AbortSignal that ends the CNI call early, as SIGTERM does. */
  readonly signal?: AbortSignal
  /** Opens network namespaces for the CNI call. Default: opens the real network namespaces of the node. */
  readonly netns?: NetnsPort
  /** Opens the folder of the plugin's `state`. Default: a folder on disk, not in memory. */
  stateFolder?(path: string): StateFolder
  /**
   * Absolute path of the plugin's executable, as the container runtime called it. A marker file next to it says that
   * the plugin is uninstalled. Without this path, no marker is read.
   */
  readonly executable?: string
  /** Receives each line that the call writes to stderr, newline included. */
  stderr?(line: string): void
  /**
   * Writes the result of a successful CNI call. The text is empty for all verbs except ADD. An error of this function
   * fails the call, and its undo steps run. Error documents and the VERSION reply are returned, not written.
   */
  stdout?(document: string): void | Promise<void>
}

/** Reads the stdin of a CNI call as bytes. */
export async function readInput(io: Pick<PluginIo, 'stdin'>): Promise<Uint8Array> {
  const input = await io.stdin()
  return typeof input === 'string' ? new TextEncoder().encode(input) : input
}

/** Opens the network namespaces that a CNI call needs: the container's and the plugin's own. */
export interface NetnsPort {
  /** Opens the container's network namespace. Throws if the path is not a namespace. */
  open(path: string): Netns
  /** Opens the plugin's own network namespace. */
  current(): Netns
}

/** Outcome of a CNI call. */
export interface PluginOutcome {
  /** Exit code of the plugin: 1 if the CNI call has failed. */
  readonly exitCode: 0 | 1
  /** Text that the call writes to stdout: the result or error as one JSON document, or nothing. */
  readonly stdout: string
  /** Text that the call writes to stderr: the log of the call. */
  readonly stderr: string
}
