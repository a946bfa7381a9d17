/** Something a check did not like. */
export interface Finding {
  /** `violation`: of something the specification requires, or every runtime relies on. `advice`: of what it recommends. */
  readonly severity: 'violation' | 'advice'
  readonly summary: string
  readonly why: string
  readonly spec: string
  /** The execution of the plugin: what it was given and what came back. */
  readonly exchange?: {
    /** The complete environment. */
    readonly env: Readonly<Record<string, string>>
    readonly stdin: string
    /** What was special about the execution: `stdin stays open`, `stdout has no reader`. */
    readonly special?: string
    readonly exitCode: number | null
    readonly signal: string | null
    readonly stdout: string
    readonly stderr: string
    readonly durationMs: number
    readonly timedOut: boolean
  }
}

/** A check and how it ended. */
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
  /** What a conforming plugin does, as a sentence. */
  readonly title: string
  /** Where that is written. */
  readonly spec: string
  /**
   * How a check ended. `skipped`: its rule does not concern this plugin. `blocked`: its rule does, and the check could not
   * be made. A check that found something before it came to a stop is `fail` and says in `blocked` why it stopped.
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

/** Everything found out about a plugin. */
export interface Report {
  /**
   * `violations`: there are some. `incomplete`: none was found, but not everything that was asked for could be looked at.
   * `conforms`: everything was looked at, and there is no violation.
   */
  readonly verdict: 'conforms' | 'violations' | 'incomplete'
  /** Checks that could not be made: the reason and their ids. Empty when everything was checked. */
  readonly unchecked: ReadonlyArray<{ readonly reason: string; readonly checks: readonly string[] }>
  readonly plugin: string
  readonly chained: boolean
  /** What VERSION claims; `undefined` when it could not be read. */
  readonly supportedVersions: readonly string[] | undefined
  /** The version of the configurations, where a check does not need another. */
  readonly version: string
  readonly results: readonly CheckResult[]
  readonly counts: Readonly<Record<CheckResult['outcome']['status'] | Finding['severity'], number>>
  /** Whether the verdict is `conforms`. */
  readonly conforms: boolean
  /** How many checks `only` and `skip` left out. */
  readonly leftOut: number
  /** How often the plugin was executed. */
  readonly executions: number
  readonly durationMs: number
}

/** One execution of the plugin. */
export type Exchange = NonNullable<Finding['exchange']>
