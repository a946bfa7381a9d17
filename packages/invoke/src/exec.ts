/**
 * Interface that finds and runs plugins. Another implementation may run plugins in a chroot, or replace them in tests.
 *
 * @see `realExec` for processes and `fakeExec` of `@cni/invoke/testing` for tests.
 */
export interface Exec {
  /** Finds the path of a plugin's executable in the given folders. Throws an `InvokeError`. */
  find(plugin: string, paths: readonly string[]): string
  /** Runs a plugin to its end, even if the plugin fails. Rejects only for a defect of the {@link Exec} itself. */
  run(request: {
    /** Path of the plugin's executable, from {@link Exec.find}. */
    readonly path: string
    /** Configuration for the plugin's stdin. Stdin is written and closed, even if the plugin does not read it. */
    readonly stdin: string | Uint8Array
    /** All environment variables of the plugin; it inherits no others. */
    readonly env: Readonly<Record<string, string | undefined>>
    /** AbortSignal that kills the plugin and all its children. */
    readonly signal?: AbortSignal | undefined
    /** Milliseconds until the plugin and all its children are killed. */
    readonly timeout?: number | undefined
    /** Receives the plugin's stderr while it runs. */
    readonly stderr?: ((chunk: Uint8Array) => void) | undefined
  }): Promise<{
    readonly exitCode: number | null
    readonly signal: NodeJS.Signals | null
    readonly stdout: string
    readonly stderr: string
    readonly durationMs: number
    /** Reason why the plugin did not start, or was killed. `undefined` if the plugin ended by itself. */
    readonly stopped?: {
      readonly reason: 'start' | 'busy' | 'timeout' | 'aborted' | 'output'
      readonly message: string
      readonly cause?: unknown
    }
  }>
}

/** Request to execute a plugin once: path, stdin, environment and limits. */
export type ExecRequest = Parameters<Exec['run']>[0]

/** Result of one execution of a plugin. */
export type ExecOutcome = Awaited<ReturnType<Exec['run']>>

/** Options of all functions that execute a plugin. */
export interface InvokeOptions {
  /** Interface to run the plugins, such as a fake in tests. Default: runs each plugin as a process. */
  readonly exec?: Exec | undefined
  /** Environment that plugins inherit. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** AbortSignal that kills the plugin and its children. A killed call fails with code 11. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for each execution of a plugin. Default: no limit. */
  readonly timeout?: number | undefined
  /** Receives the stderr of plugins while they run. Default: this process's stderr. */
  readonly stderr?: ((chunk: Uint8Array) => void) | undefined
}
