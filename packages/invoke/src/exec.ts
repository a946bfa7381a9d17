/**
 * Finds and runs plugins. Replace it in tests, or to run plugins elsewhere: a chroot, a mount namespace, this process.
 *
 * @see `realExec` for processes and `fakeExec` of `@cni/invoke/testing` for tests.
 */
export interface Exec {
  /** Path of a plugin's executable. Throws an `InvokeError`. */
  find(plugin: string, paths: readonly string[]): string
  /** Runs a plugin to its end. A failed plugin is an outcome too; only a defect of the {@link Exec} itself rejects. */
  run(request: {
    /** Path from {@link Exec.find}. */
    readonly path: string
    /** Configuration. Written and closed, even if the plugin does not read it. */
    readonly stdin: string | Uint8Array
    /** The complete environment. */
    readonly env: Readonly<Record<string, string | undefined>>
    /** Its abort ends the plugin and all its children. */
    readonly signal?: AbortSignal | undefined
    /** Milliseconds until the plugin and all its children are ended. */
    readonly timeout?: number | undefined
    /** Receives the plugin's stderr while it runs. */
    readonly stderr?: ((chunk: Uint8Array) => void) | undefined
  }): Promise<{
    readonly exitCode: number | null
    readonly signal: NodeJS.Signals | null
    readonly stdout: string
    readonly stderr: string
    readonly durationMs: number
    /** Reason if the plugin did not start, or did not end by itself; else `undefined`. */
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

/** Options of all functions that execute a plugin. */
export interface InvokeOptions {
  /** Runs the plugins. Default: as processes. */
  readonly exec?: Exec | undefined
  /** Environment that plugins inherit. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Its abort kills the plugin and its children. The call then fails with code 11. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for each execution. Default: no limit. */
  readonly timeout?: number | undefined
  /** Receives the stderr of plugins while they run. Default: this process's stderr. */
  readonly stderr?: ((chunk: Uint8Array) => void) | undefined
}
