import { setTimeout as sleep } from 'node:timers/promises'
import { type HealPace, healPace } from './heal-pace.ts'
import type { NodeProbes } from './node-probes.ts'

/** What is kept on a node. */
export type NodePart = 'host_rules' | 'host_sets'

/** Event of {@link reconcileNode}. */
export type ReconcileNodeEvent =
  /** What somebody else had changed, in words, is as it should be again. */
  | { readonly type: 'healed'; readonly part: NodePart; readonly drift: readonly string[] }
  /** It could not be looked at, or not be put right; both are tried again. */
  | { readonly type: 'failed'; readonly part: NodePart; readonly error: unknown }
  /** It was put right again and again: the next time waits. */
  | { readonly type: 'contested'; readonly part: NodePart; readonly pauseMs: number }

/** How a node is kept. */
export interface ReconcileNodeOptions {
  /** Ends it; what is being written then is written to its end. */
  readonly signal: AbortSignal
  readonly observe?: ((event: ReconcileNodeEvent) => void) | undefined
}

/**
 * Keeps the rules and sets of a node as `apply`, `put`, `drop` and `sync` left them, until the signal: what others delete
 * comes back within a second, what is right is not touched, and whoever changes it again and again is not fought without
 * end. It never rejects. Before the rules are removed on purpose it has to have ended.
 */
export async function reconcileNode(node: NodeProbes, options: ReconcileNodeOptions): Promise<void> {
  const context = { ...options, node, observe: options.observe ?? (() => {}) }
  await Promise.all([keepRules(context), keepSets(context)])
}

// internal

interface Context extends Required<Pick<ReconcileNodeOptions, 'signal'>> {
  readonly node: NodeProbes
  readonly observe: (event: ReconcileNodeEvent) => void
}

/** Between two looks at the sets, of whose entries the kernel tells nothing. */
const LOOK_MS = 400
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
    // A table that was deleted took its sets along, and a set goes with the rule that named it.
    const entries = await node.sets.heal()
    if (plan !== 'unchanged' || entries.length > 0) observe({ type: 'healed', part, drift })
  }
}

async function keepSets({ node, signal, observe }: Context): Promise<void> {
  const part = 'host_sets'
  const pace = healPace()
  while (await pause(LOOK_MS, signal)) {
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

/** Waits as the pace says; `false` when it was aborted meanwhile. */
async function paced(pace: HealPace, part: NodePart, { signal, observe }: Omit<Context, 'node'>): Promise<boolean> {
  const pauseMs = pace.next()
  if (pauseMs === 0) return !signal.aborted
  observe({ type: 'contested', part, pauseMs })
  return pause(pauseMs, signal)
}

/** Waits; `false` when it was aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false)
