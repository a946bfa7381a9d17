import { join } from 'node:path'
import { judgeReadings, type RuntimeReading } from '../conf/runtime-readings.ts'
import { type InstallStatus, isBad, toStatus } from '../health.ts'
import type { ConflistPlan } from './conflist/net-view.ts'
import { withVerdict } from './conflist/read-runtimes.ts'
import { emitOnce, hintFor, type State } from './state.ts'
import type { Work } from './step.ts'

/** Emits `preempted` when container runtimes stop using the file with the installed plugin. */
export function reportPreempted(state: State, { preemptedBy, primary = '' }: ConflistPlan): void {
  const by = preemptedBy ?? ''
  emitOnce(state, 'preempted', preemptedBy, () => ({ type: 'preempted', by, primary, hint: hintFor(by) }))
}

/** Maximum number of skipped files for which one check emits separate `skipped` events. */
const MAX_NAMED = 20

/** Emits `skipped` for each configuration file that container runtimes skip: once, and again if the reason changes. */
export function reportSkipped(state: State, skipped: ReadonlyMap<string, string>): void {
  for (const topic of state.emitted.keys()) {
    if (topic.startsWith('skipped ') && !skipped.has(topic.slice('skipped '.length))) state.emitted.delete(topic)
  }
  const { netDir } = state.settings
  const unreported = [...skipped].filter(([name, reason]) => state.emitted.get(`skipped ${name}`) !== reason)
  for (const [name, reason] of unreported) state.emitted.set(`skipped ${name}`, reason)
  for (const [name, reason] of unreported.slice(0, MAX_NAMED))
    state.emit({ type: 'skipped', path: join(netDir, name), reason })
  const more = unreported.length - MAX_NAMED
  if (more > 0) state.emit({ type: 'skipped', path: netDir, reason: 'no runtime can load them', more })
}

/** Emits `runtimes` when a container runtime chooses another network from the CNI network folder than before. */
export function reportRuntimes(state: State, readings: readonly RuntimeReading[]): void {
  const { verdict } = judgeReadings(readings, state.settings.runtime)
  const text = readings.map((one) => one.text).join('; ')
  emitOnce(state, 'runtimes', `${verdict}: ${text}`, () => ({ type: 'runtimes', readings, verdict }))
}

/** Emits `withdrawn` for each file from which the installer removed the plugin. */
export function reportWithdrawal({ state, health }: Work, plan: ConflistPlan, reason: string): void {
  for (const { path } of plan.changes) {
    const index = health.findIndex((one) => one.path === path && one.state === 'ok')
    if (index < 0) continue
    health[index] = { artefact: 'conflist', path, state: 'waiting', reason: `left out: ${reason}` }
    state.emit({ type: 'withdrawn', path, reason })
  }
}

/** Emits `adopted` when another file has become the primary network configuration. */
export function reportAdopted(state: State, primary: string): void {
  const former = state.status.primary
  emitOnce(state, 'primary', primary, () => ({ type: 'adopted', primary, former }))
}

/** Updates the installer's status. Emits `ready` or `not-ready` if the status has changed. */
export function reportStatus(
  work: Work,
  { primary, runtimes }: Pick<InstallStatus, 'primary' | 'runtimes'>,
  isBusy: boolean,
): void {
  const { state, began } = work
  const health = withVerdict(work.health, runtimes, state.settings)
  state.status = toStatus(health, primary, runtimes)
  state.passes += 1
  for (const one of work.health) if (one.state === 'ok') state.seen.add(one.path)
  const { ready, reason } = state.status
  const ms = performance.now() - began
  emitOnce(state, 'ready', ready ? 'ready' : undefined, () => ({ type: 'ready', primary, ms }))
  // Binaries may be missing while the installer copies them, so only the next check may emit `not-ready`.
  if (isBusy) return
  const bad = health.find(isBad)
  emitOnce(state, 'not ready', ready ? undefined : reason, () => ({
    type: 'not-ready',
    artefact: bad?.artefact ?? 'conflist',
    reason: reason ?? 'nothing to install',
  }))
}
