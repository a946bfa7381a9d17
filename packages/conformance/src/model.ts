import type { Exchange } from './execution.ts'

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

/** How a check ended. */
export type Outcome =
  | { readonly status: 'pass' }
  | { readonly status: 'fail'; readonly findings: readonly Finding[]; readonly notes: readonly string[] }
  | { readonly status: 'note'; readonly notes: readonly string[] }
  | { readonly status: 'skipped'; readonly reason: string }

/** A check and how it ended. */
export interface CheckResult {
  readonly id: string
  readonly group: Group
  readonly title: string
  readonly spec: string
  readonly outcome: Outcome
  readonly durationMs: number
}

/** Everything found out about a plugin. */
export interface Report {
  readonly plugin: string
  readonly chained: boolean
  /** What VERSION claims; `undefined` when it could not be read. */
  readonly supportedVersions: readonly string[] | undefined
  /** The version of the configurations, where a check does not need another. */
  readonly version: string
  readonly results: readonly CheckResult[]
  readonly counts: Readonly<Record<Outcome['status'] | Severity, number>>
  /** No violations. */
  readonly conforms: boolean
  /** How often the plugin was executed. */
  readonly executions: number
  readonly durationMs: number
}
