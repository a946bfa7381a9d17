import type { Exec } from '@cni/invoke'

/** Everything {@link runCnitool} touches besides configuration, plugins and cache. */
export interface CnitoolIo {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder relative paths start from. */
  readonly cwd: string
  stdout(text: string): void
  stderr(text: string): void
  /** What plugins write on stderr; default: decoded, to `stderr`. */
  readonly pluginStderr?: ((chunk: Uint8Array) => void) | undefined
  /** Colour on stderr; the process passes whether that is a terminal. */
  readonly colour?: boolean | undefined
  /** Ends the plugins that run. */
  readonly signal?: AbortSignal | undefined
  /** Default: real processes. */
  readonly exec?: Exec | undefined
}
