import type { Exec } from '@cni/invoke'

/** Input and output of {@link runCnitool} besides configuration, plugins and cache. */
export interface CnitoolIo {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Base folder of relative paths. */
  readonly cwd: string
  stdout(text: string): void
  stderr(text: string): void
  /** Receives the plugins' stderr. Default: decoded, to `stderr`. */
  readonly pluginStderr?: ((chunk: Uint8Array) => void) | undefined
  /** True for colours on stderr, which the process sets if that is a terminal. */
  readonly colour?: boolean | undefined
  /** An abort of this signal ends the running plugins. */
  readonly signal?: AbortSignal | undefined
  /** Runs the plugins. Default: as processes. */
  readonly exec?: Exec | undefined
}
