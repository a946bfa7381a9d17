import { pause } from '../../../pause.ts'
import { type HealPace, healPace } from './heal-pace.ts'
import type { NodeProbes } from './node-probes.ts'

/** Group of objects on the node that are checked and repaired together: the rules, or the address sets. */
export type NodePart = 'host_rules' | 'host_sets'

/** Event that {@link reconcileNode} reports: a repair of the node, or a failure. */
export type ReconcileNodeEvent =
  /** The agent restored rules or sets of the node that another process changed. `drift` lists the changes. */
  | { readonly type: 'healed'; readonly part: NodePart; readonly drift: readonly string[] }
  /** A check or a repair of the node's rules or sets failed. The agent retries. */
  | { readonly type: 'failed'; readonly part: NodePart; readonly error: unknown }
  /** The agent repaired the node's rules or sets repeatedly. The next repair waits `pauseMs`. */
  | { readonly type: 'contested'; readonly part: NodePart; readonly pauseMs: number }

/** Options of {@link reconcileNode}, which checks and repairs the node's rules and sets. */
export interface ReconcileNodeOptions {
  /** AbortSignal that ends the checks of the node's rules and sets. A write in progress completes first. */
  readonly signal: AbortSignal
  readonly observe: (event: ReconcileNodeEvent) => void
}

/** Repairs the rules and sets of a node until the signal aborts. Never rejects. */
export async function reconcileNode(node: NodeProbes, options: ReconcileNodeOptions): Promise<void> {
  const context = { ...options, node }
  await Promise.all([keepRules(context), keepSets(context)])
}

// internal

interface Context extends ReconcileNodeOptions {
  readonly node: NodeProbes
}

/** Interval in milliseconds between checks, because the kernel reports no changes of set entries. */
const CHECK_INTERVAL_MS = 400
const RETRY_MS = 1000

async function keepRules({ node, signal, observe }: Context): Promise<void> {
  const part = 'host_rules'
  const pace = healPace()
  while (!signal.aborted) {
    try {
      for await (const look of node.watch(signal)) {
        if ('error' in look) observe({ type: 'failed', part, error: look.error })
        else await heal(look.drift)
      }
    } catch (error) {
      observe({ type: 'failed', part, error })
    }
    await pause(RETRY_MS, signal)
  }

  async function heal(drift: readonly string[]): Promise<void> {
    if (!(await paced(pace, part, { signal, observe }))) return
    const plan = await node.apply()
    // Also restores the entries, because another process may have deleted the whole table.
    const entries = await node.sets.heal()
    if (plan !== 'unchanged' || entries.length > 0) observe({ type: 'healed', part, drift })
  }
}

async function keepSets({ node, signal, observe }: Context): Promise<void> {
  const part = 'host_sets'
  const pace = healPace()
  while (await pause(CHECK_INTERVAL_MS, signal)) {
    try {
      const { sets, entries } = await node.sets.missing()
      if (sets.length + entries.length === 0) continue
      if (!(await paced(pace, part, { signal, observe }))) return
      if (sets.length > 0) await node.apply()
      const healed = await node.sets.heal()
      const drift = [
        ...sets.map((name) => `missing set ${name}`),
        ...healed.map(({ address, uid }) => `missing ${address} of pod ${uid}`),
      ]
      if (drift.length > 0) observe({ type: 'healed', part, drift })
    } catch (error) {
      observe({ type: 'failed', part, error })
      await pause(RETRY_MS, signal)
    }
  }
}

/** Waits for the backoff before a repair of the node. Returns `false` if the signal aborts first. */
async function paced(pace: HealPace, part: NodePart, { signal, observe }: ReconcileNodeOptions): Promise<boolean> {
  const pauseMs = pace.next()
  if (pauseMs === 0) return !signal.aborted
  observe({ type: 'contested', part, pauseMs })
  return pause(pauseMs, signal)
}
