/**
 * How plugins are found and run: the seam for tests, and for runtimes that run plugins elsewhere (a chroot, another
 * mount namespace, the same process).
 *
 * @see `realExec` for processes and `fakeExec` of `@cni/invoke/testing` for tests.
 */
export interface Exec {
  /** The path of a plugin's executable; throws an `InvokeError`. */
  find(plugin: string, paths: readonly string[]): string
  /** Runs a plugin to its end. A failure is an outcome as well: only the {@link Exec} itself may break. */
  run(request: {
    /** What {@link Exec.find} returned. */
    readonly path: string
    /** The configuration; written and closed whether the plugin reads it or not. */
    readonly stdin: string | Uint8Array
    /** The complete environment. */
    readonly env: Readonly<Record<string, string | undefined>>
    /** Ends the plugin and all its children when it aborts. */
    readonly signal?: AbortSignal | undefined
    /** Milliseconds after which the plugin and all its children are ended. */
    readonly timeout?: number | undefined
    /** Receives what the plugin writes on stderr while it runs. */
    readonly stderr?: ((chunk: Uint8Array) => void) | undefined
  }): Promise<{
    readonly exitCode: number | null
    readonly signal: NodeJS.Signals | null
    readonly stdout: string
    readonly stderr: string
    readonly durationMs: number
    /** Set when the plugin did not start, or did not end by itself. */
    readonly stopped?: {
      readonly reason: 'start' | 'busy' | 'timeout' | 'aborted' | 'output'
      readonly message: string
      readonly cause?: unknown
    }
  }>
}

/** One execution of a plugin. */
export type ExecRequest = Parameters<Exec['run']>[0]

/** Result of an execution. */
export type ExecOutcome = Awaited<ReturnType<Exec['run']>>

/** What every function that executes a plugin takes. */
export interface InvokeOptions {
  /** Default: real processes. */
  readonly exec?: Exec | undefined
  /** The environment that plugins inherit; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Kills the plugin and its children; the call then fails with code 11. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for each execution; none by default. */
  readonly timeout?: number | undefined
  /** Receives what plugins write on stderr, as they write it; default this process's stderr. */
  readonly stderr?: ((chunk: Uint8Array) => void) | undefined
}
