import type { Exec } from '@cni/invoke'

/** Streams and settings of {@link runCnitool}. The command itself opens configuration files and the cache. */
export interface CnitoolIo {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Working directory, which relative paths on the command line refer to. */
  readonly cwd: string
  stdout(text: string): void
  stderr(text: string): void
  /** Receives the bytes that plugins write to stderr. Default: decodes the bytes and passes the text to `stderr`. */
  readonly pluginStderr?: ((chunk: Uint8Array) => void) | undefined
  /** True to print colours on stderr. The `cnitool` process sets the option if stderr is a terminal. */
  readonly colour?: boolean | undefined
  /** AbortSignal that ends the plugins which cnitool runs. */
  readonly signal?: AbortSignal | undefined
  /** Interface that finds and runs the plugins. Default: starts each plugin as a process. */
  readonly exec?: Exec | undefined
}
