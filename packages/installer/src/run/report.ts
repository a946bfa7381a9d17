import { join } from 'node:path'
import { toStatus } from '../health.ts'
import type { ConflistPlan } from './conflist/net-view.ts'
import { hintFor, type State, sayOnce } from './state.ts'
import type { Work } from './step.ts'

/** Says that runtimes read another file than the one we are in. */
export function reportPreempted(state: State, { preemptedBy, primary = '' }: ConflistPlan): void {
  const by = preemptedBy ?? ''
  sayOnce(state, 'preempted', preemptedBy, () => ({ type: 'preempted', by, primary, hint: hintFor(by) }))
}

/** So many files are named that are skipped; a log of thousands helps nobody. */
const NAMED = 20

/** Says which files runtimes skip, and forgets those that are no longer skipped. */
export function reportSkipped(state: State, skipped: ReadonlyMap<string, string>): void {
  for (const topic of state.said.keys()) {
    if (topic.startsWith('skipped ') && !skipped.has(topic.slice('skipped '.length))) state.said.delete(topic)
  }
  const { netDir } = state.settings
  const news = [...skipped].filter(([name, reason]) => state.said.get(`skipped ${name}`) !== reason)
  for (const [name, reason] of news) state.said.set(`skipped ${name}`, reason)
  for (const [name, reason] of news.slice(0, NAMED)) state.emit({ type: 'skipped', path: join(netDir, name), reason })
  const more = news.length - NAMED
  if (more > 0) state.emit({ type: 'skipped', path: netDir, reason: 'no runtime would load them', more })
}

/** Says that our entry was taken out: what the step wrote is in order, and yet it is left out of it. */
export function reportWithdrawal({ state, health }: Work, plan: ConflistPlan, reason: string): void {
  for (const { path } of plan.changes) {
    const index = health.findIndex((one) => one.path === path && one.state === 'ok')
    if (index < 0) continue
    health[index] = { artefact: 'conflist', path, state: 'waiting', reason: `left out: ${reason}` }
    state.emit({ type: 'withdrawn', path, reason })
  }
}

/** Says that another file is the primary. */
export function reportAdopted(state: State, primary: string): void {
  const former = state.status.primary
  sayOnce(state, 'primary', primary, () => ({ type: 'adopted', primary, former }))
}

/** Makes the health of the pass the status, and says whether everything is in place. */
export function reportStatus(work: Work, primary: string | undefined, isBusy: boolean): void {
  const { state, health, began } = work
  state.status = toStatus(health, primary)
  state.passes += 1
  for (const one of health) if (one.state === 'ok') state.seen.add(one.path)
  const { ready, reason } = state.status
  const ms = performance.now() - began
  sayOnce(state, 'ready', ready ? 'ready' : undefined, () => ({ type: 'ready', primary, ms }))
  // what is being copied will be there in a moment
  if (isBusy) return
  const bad = health.find((one) => one.state !== 'ok')
  sayOnce(state, 'not ready', ready ? undefined : reason, () => ({
    type: 'not-ready',
    artefact: bad?.artefact ?? 'conflist',
    reason: reason ?? 'nothing to install',
  }))
}
