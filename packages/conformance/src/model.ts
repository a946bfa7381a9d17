/** A problem that a check found. */
export interface Finding {
  /** `violation`: breaks a requirement of the specification, or of every runtime. `advice`: breaks a recommendation. */
  readonly severity: 'violation' | 'advice'
  readonly summary: string
  readonly why: string
  readonly spec: string
  /** The execution of the plugin: input and output. */
  readonly exchange?: {
    /** All environment variables. */
    readonly env: Readonly<Record<string, string>>
    readonly stdin: string
    /** Special condition of the execution: `stdin stays open`, `stdout has no reader`. */
    readonly special?: string
    readonly exitCode: number | null
    readonly signal: string | null
    readonly stdout: string
    readonly stderr: string
    readonly durationMs: number
    readonly timedOut: boolean
  }
}

/** A check and its outcome. */
export interface CheckResult {
  readonly id: string
  /** Subject of the check. */
  readonly group:
    | 'protocol'
    | 'versions'
    | 'results'
    | 'del'
    | 'check'
    | 'stdout'
    | 'errors'
    | 'signals'
    | 'concurrency'
    | 'isolation'
  /** Behaviour of a conforming plugin, as a sentence. */
  readonly title: string
  /** Source of the rule. */
  readonly spec: string
  /**
   * Outcome of a check:
   * - `skipped`: the rule does not apply to this plugin.
   * - `blocked`: the rule applies but could not be checked.
   * - `fail` with `blocked`: the check found problems before it stopped; `blocked` is the reason of the stop.
   */
  readonly outcome:
    | { readonly status: 'pass' }
    | {
        readonly status: 'fail'
        readonly findings: readonly Finding[]
        readonly notes: readonly string[]
        readonly blocked?: string
      }
    | { readonly status: 'note'; readonly notes: readonly string[] }
    | { readonly status: 'skipped'; readonly reason: string }
    | { readonly status: 'blocked'; readonly reason: string }
  readonly durationMs: number
}

/** Report about a plugin. */
export interface Report {
  /**
   * Overall result:
   * - `violations`: at least one violation.
   * - `incomplete`: no violation, but some checks could not be made.
   * - `conforms`: no violation, and all checks were made.
   */
  readonly verdict: 'conforms' | 'violations' | 'incomplete'
  /** Checks that could not be made: reason and ids. Empty if all checks were made. */
  readonly unchecked: ReadonlyArray<{ readonly reason: string; readonly checks: readonly string[] }>
  readonly plugin: string
  readonly chained: boolean
  /** Versions that VERSION claims. `undefined` if VERSION failed. */
  readonly supportedVersions: readonly string[] | undefined
  /** Default version of the configurations. */
  readonly version: string
  readonly results: readonly CheckResult[]
  readonly counts: Readonly<Record<CheckResult['outcome']['status'] | Finding['severity'], number>>
  /** True if the verdict is `conforms`. */
  readonly conforms: boolean
  /** Number of checks that `only` and `skip` left out. */
  readonly leftOut: number
  /** Number of executions of the plugin. */
  readonly executions: number
  readonly durationMs: number
}

/** One execution of the plugin. */
export type Exchange = NonNullable<Finding['exchange']>
