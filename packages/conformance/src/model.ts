import type { Exchange } from './exchange.ts'

/** `violation`: of something the specification requires, or every runtime relies on. `advice`: of what it recommends. */
export type Severity = 'violation' | 'advice'

/** What checks are about. */
export type Group =
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

/** Something a check did not like. */
export interface Finding {
  readonly severity: Severity
  readonly summary: string
  readonly why: string
  readonly spec: string
  readonly exchange?: Exchange
}

/**
 * How a check ended. `skipped`: its rule does not concern this plugin. `blocked`: its rule does, and the check could not
 * be made. A check that found something before it came to a stop is `fail` and says in `blocked` why it stopped.
 */
export type CheckOutcome =
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

/** A check and how it ended. */
export interface CheckResult {
  readonly id: string
  readonly group: Group
  readonly title: string
  readonly spec: string
  readonly outcome: CheckOutcome
  readonly durationMs: number
}

/**
 * What a run comes to. `violations`: there are some. `incomplete`: none was found, but not everything that was asked for
 * could be looked at. `conforms`: everything was looked at, and there is no violation.
 */
export type Verdict = 'conforms' | 'violations' | 'incomplete'

/** Why checks could not be made, and which. */
export interface Unchecked {
  readonly reason: string
  /** Their ids. */
  readonly checks: readonly string[]
}

/** Everything found out about a plugin. */
export interface Report {
  readonly verdict: Verdict
  /** What could not be looked at; empty when everything was. Violations may have been found nevertheless. */
  readonly unchecked: readonly Unchecked[]
  readonly plugin: string
  readonly chained: boolean
  /** What VERSION claims; `undefined` when it could not be read. */
  readonly supportedVersions: readonly string[] | undefined
  /** The version of the configurations, where a check does not need another. */
  readonly version: string
  readonly results: readonly CheckResult[]
  readonly counts: Readonly<Record<CheckOutcome['status'] | Severity, number>>
  /** Whether the verdict is `conforms`. */
  readonly conforms: boolean
  /** How many checks `only` and `skip` left out. */
  readonly leftOut: number
  /** How often the plugin was executed. */
  readonly executions: number
  readonly durationMs: number
}
