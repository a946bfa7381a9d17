import type { Context } from './context.ts'

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

/** One check: data, and a function that talks to the plugin through its context. */
export interface Check {
  readonly id: string
  readonly group: Group
  /** What a conforming plugin does, as a sentence. */
  readonly title: string
  /** Where that is written. */
  readonly spec: string
  run(ctx: Context): Promise<void>
}

/** One execution of the plugin: what it was given and what came back. */
export interface Exchange {
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
