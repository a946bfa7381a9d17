import { pause } from '../../../pause.ts'
import type { NodeProbes } from './node-probes.ts'
import { type RepairBackoff, repairBackoff } from './repair-backoff.ts'

/** Group of objects on the node that are checked and repaired together: the rules, or the address sets. */
export type NodeObjects = 'host_rules' | 'host_sets'

/** Event that {@link reconcileNode} reports: a repair of the node, or a failure. */
export type ReconcileNodeEvent =
  /** The agent restored rules or sets of the node that another process changed. `drift` lists the changes. */
  | { readonly type: 'healed'; readonly objects: NodeObjects; readonly drift: readonly string[] }
  /** A check or a repair of the node's rules or sets failed. The agent retries. */
  | { readonly type: 'failed'; readonly objects: NodeObjects; readonly error: unknown }
  /** The agent repaired the node's rules or sets repeatedly. The next repair waits `pauseMs`. */
  | { readonly type: 'contested'; readonly objects: NodeObjects; readonly pauseMs: number }

/** Options of {@link reconcileNode}, which checks and repairs the node's rules and sets. */
export interface ReconcileNodeOptions {
  /** AbortSignal that ends the checks of the node's rules and sets. A write in progress completes first. */
  readonly signal: AbortSignal
  readonly observe: (event: ReconcileNodeEvent) => void
}

/** Repairs the rules and sets of a node until the signal aborts. Never rejects. */
export async function reconcileNode(node: NodeProbes, options: ReconcileNodeOptions): Promise<void> {
  const context = { ...options, node }
  await Promise.all([reconcileRules(context), reconcileSets(context)])
}

// internal

interface Context extends ReconcileNodeOptions {
  readonly node: NodeProbes
}

/** Interval in milliseconds between checks, because the kernel reports no changes of set entries. */
const CHECK_INTERVAL_MS = 400
const RETRY_MS = 1000

async function reconcileRules({ node, signal, observe }: Context): Promise<void> {
  const objects = 'host_rules'
  const backoff = repairBackoff()
  while (!signal.aborted) {
    try {
      for await (const check of node.watch(signal)) {
        if ('error' in check) observe({ type: 'failed', objects, error: check.error })
        else await heal(check.drift)
      }
    } catch (error) {
      observe({ type: 'failed', objects, error })
    }
    await pause(RETRY_MS, signal)
  }

  async function heal(drift: readonly string[]): Promise<void> {
    if (!(await waitForBackoff(backoff, objects, { signal, observe }))) return
    const plan = await node.apply()
    // Also restores the entries, because another process may have deleted the whole table.
    const entries = await node.sets.heal()
    if (plan !== 'unchanged' || entries.length > 0) observe({ type: 'healed', objects, drift })
  }
}

async function reconcileSets({ node, signal, observe }: Context): Promise<void> {
  const objects = 'host_sets'
  const backoff = repairBackoff()
  while (await pause(CHECK_INTERVAL_MS, signal)) {
    try {
      const { sets, entries } = await node.sets.missing()
      if (sets.length + entries.length === 0) continue
      if (!(await waitForBackoff(backoff, objects, { signal, observe }))) return
      if (sets.length > 0) await node.apply()
      const healed = await node.sets.heal()
      const drift = [
        ...sets.map((name) => `missing set ${name}`),
        ...healed.map(({ address, uid }) => `missing ${address} of pod ${uid}`),
      ]
      if (drift.length > 0) observe({ type: 'healed', objects, drift })
    } catch (error) {
      observe({ type: 'failed', objects, error })
      await pause(RETRY_MS, signal)
    }
  }
}

/** Waits for the backoff before a repair of the node. Returns `false` if the signal aborts first. */
async function waitForBackoff(
  backoff: RepairBackoff,
  objects: NodeObjects,
  { signal, observe }: ReconcileNodeOptions,
): Promise<boolean> {
  const pauseMs = backoff.next()
  if (pauseMs === 0) return !signal.aborted
  observe({ type: 'contested', objects, pauseMs })
  return pause(pauseMs, signal)
}
