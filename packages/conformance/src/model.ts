/** A problem of the tested plugin that a check found. */
export interface Finding {
  /**
   * Severity of the problem. A `violation` breaks a requirement of the specification or of all container runtimes. An
   * `advice` breaks a recommendation.
   */
  readonly severity: 'violation' | 'advice'
  readonly summary: string
  readonly why: string
  readonly spec: string
  /** The plugin call in which the problem appeared: its input and output. */
  readonly exchange?: {
    /** All environment variables that the plugin got. */
    readonly env: Readonly<Record<string, string>>
    readonly stdin: string
    /** Description of the plugin call's unusual streams. Examples: `stdin stays open`, `stdout has no reader`. */
    readonly special?: string
    readonly exitCode: number | null
    readonly signal: string | null
    readonly stdout: string
    readonly stderr: string
    readonly durationMs: number
    readonly timedOut: boolean
  }
}

/** Result of one check of the suite. */
export interface CheckResult {
  readonly id: string
  /** Group of the check by topic, such as `versions` or `results`. */
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
  /** Required behaviour of a plugin, as a sentence. */
  readonly title: string
  /** Section of the specification, or another source, that the rule comes from. */
  readonly spec: string
  /**
   * Outcome of a check:
   * - `fail`: the check found problems, and stopped early if `blocked` is set.
   * - `skipped`: the rule does not apply to this plugin.
   * - `blocked`: the rule applies but could not be checked.
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

/** Report of the suite about a plugin. */
export interface Report {
  /**
   * Overall result:
   * - `violations`: at least one violation.
   * - `incomplete`: no violation, but some checks could not be made.
   * - `conforms`: no violation, and all checks were made.
   */
  readonly verdict: 'conforms' | 'violations' | 'incomplete'
  /** Ids of checks that the suite could not make, grouped by reason. Empty if the suite made all checks. */
  readonly unchecked: ReadonlyArray<{ readonly reason: string; readonly checks: readonly string[] }>
  readonly plugin: string
  readonly chained: boolean
  /** CNI versions that the plugin's answer to VERSION lists. `undefined` if VERSION failed. */
  readonly supportedVersions: readonly string[] | undefined
  /** `cniVersion` of the configurations that the plugin got. Some checks also test other versions. */
  readonly version: string
  readonly results: readonly CheckResult[]
  readonly counts: Readonly<Record<CheckResult['outcome']['status'] | Finding['severity'], number>>
  /** True if the verdict of the report is `conforms`. */
  readonly conforms: boolean
  /** Number of checks that the options `only` and `skip` excluded. */
  readonly leftOut: number
  /** Number of times that the suite executed the plugin. */
  readonly executions: number
  readonly durationMs: number
}

/** One call of the plugin: its input and output. */
export type Exchange = NonNullable<Finding['exchange']>
