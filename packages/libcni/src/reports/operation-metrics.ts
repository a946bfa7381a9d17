import type { OperationReport } from './operation-report.ts'

type Counts = ReturnType<ReturnType<typeof operationMetrics>['read']>['operations'][number]
type Durations = Pick<Counts, 'count' | 'sumMs' | 'maxMs' | 'buckets'>
type Labels<Name extends string> = { readonly [name in Name]: string }

/** Default histogram buckets for durations in milliseconds, from a plugin that does nothing to a timeout. */
const BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000] as const

/**
 * Counts operations and plugin calls, and records their durations. Exports nothing: pass the values of `read` to a
 * metrics library.
 *
 * @throws TypeError unless the buckets are ascending milliseconds above 0.
 * @example
 * ```ts
 * const metrics = operationMetrics()
 * const runtime = cni({ path: ['/opt/cni/bin'], observe: metrics.observe })
 * metrics.read().operations // [{ verb: 'ADD', network: 'pods', outcome: 'done', count: 3, sumMs: 91.4, … }]
 * ```
 */
export function operationMetrics({ bucketsMs = BUCKETS_MS }: { readonly bucketsMs?: readonly number[] } = {}): {
  /** Adds an operation's report to the counts. Pass this function to `cni` as the option `observe`. */
  observe(report: OperationReport): void
  /** Current counts of operations and plugin calls, as plain data. Durations are milliseconds. */
  read(): {
    /** Counts of operations. The label `outcome` is `done` or `failed`. */
    readonly operations: ReadonlyArray<{
      readonly verb: string
      readonly network: string
      readonly outcome: string
      readonly count: number
      readonly sumMs: number
      readonly maxMs: number
      /** Cumulative counts: number of operations that took at most `leMs` milliseconds. */
      readonly buckets: ReadonlyArray<{ readonly leMs: number; readonly count: number }>
    }>
    /** Counts of plugin calls. The label `outcome` is `done`, or the kind of failure, such as `timeout`. */
    readonly plugins: ReadonlyArray<{
      readonly verb: string
      readonly plugin: string
      readonly outcome: string
      readonly count: number
      readonly sumMs: number
      readonly maxMs: number
      /** Cumulative counts: number of plugin calls that took at most `leMs` milliseconds. */
      readonly buckets: ReadonlyArray<{ readonly leMs: number; readonly count: number }>
    }>
  }
} {
  if (!bucketsMs.every((bound, index) => bound > (bucketsMs[index - 1] ?? 0))) {
    throw new TypeError(`operationMetrics: bucketsMs: expected ascending milliseconds, got ${bucketsMs.join(', ')}`)
  }
  const operations = series<'verb' | 'network' | 'outcome'>(bucketsMs)
  const plugins = series<'verb' | 'plugin' | 'outcome'>(bucketsMs)
  return {
    observe({ verb, network, durationMs, error, plugins: executions }) {
      operations.add({ verb, network, outcome: error === undefined ? 'done' : 'failed' }, durationMs)
      for (const { command, type, error: failure, durationMs: ms } of executions) {
        plugins.add({ verb: command, plugin: type, outcome: failure?.reason ?? 'done' }, ms)
      }
    },
    read: () => ({ operations: operations.read(), plugins: plugins.read() }),
  }
}

function series<Name extends string>(bounds: readonly number[]) {
  const all = new Map<string, { labels: Labels<Name>; sumMs: number; maxMs: number; within: number[]; count: number }>()
  return {
    add(labels: Labels<Name>, ms: number): void {
      const key = JSON.stringify(Object.values(labels))
      const one = all.get(key) ?? { labels, sumMs: 0, maxMs: 0, within: bounds.map(() => 0), count: 0 }
      all.set(key, one)
      one.count += 1
      one.sumMs += ms
      one.maxMs = Math.max(one.maxMs, ms)
      for (const [index, bound] of bounds.entries()) if (ms <= bound) one.within[index] = (one.within[index] ?? 0) + 1
    },
    read: (): (Durations & Labels<Name>)[] =>
      [...all.values()].map(({ labels, within, ...sums }) => ({
        ...labels,
        ...sums,
        buckets: bounds.map((leMs, index) => ({ leMs, count: within[index] ?? 0 })),
      })),
  }
}
