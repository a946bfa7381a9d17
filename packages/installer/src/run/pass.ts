import { statSync } from 'node:fs'
import { join } from 'node:path'
import { toStatus } from '../health.ts'
import type { InstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { lookAtBinaries } from './binary-work.ts'
import type { StepPlan } from './change.ts'
import { planConflist } from './plan-conflist.ts'
import { planKubeconfig } from './plan-kubeconfig.ts'
import { hintFor, type State, sayOnce } from './state.ts'
import { newWork, step, type Work } from './step.ts'

/** What a pass leaves to do. */
export interface PassResult {
  /** Look again after this many milliseconds even if nothing happens. */
  readonly againMs: number
  readonly errors: readonly InstallError[]
  /** Settles when the binaries have been compared and copied: another pass is due then. */
  readonly busy: Promise<void> | undefined
}

/** One pass: binaries, kubeconfig, network configuration; each file only when it is not in order. */
export async function pass(state: State, signal?: AbortSignal): Promise<PassResult> {
  const { settings } = state
  const work = newWork(state, signal)
  const { busy } = await lookAtBinaries(work)
  await step(work, 'kubeconfig', planKubeconfig(settings))
  const primary = await configure(work, busy !== undefined)
  report(work, primary, busy !== undefined)
  return { againMs: Math.max(work.againMs, 1), errors: work.errors, busy }
}

/** The step of the network configuration; returns the primary's name. */
async function configure(work: Work, isBusy: boolean): Promise<string | undefined> {
  const { state, errors, health } = work
  const { settings, memory, failures } = state
  const unable = (errors.length > 0 || work.postponed > 0) && isUnable(settings)
  const withdraw = unable ? (errors[0] ?? failures.get('binary') ?? failures.get('kubeconfig'))?.message : undefined
  // Only the first copy is waited for. A plugin that was in place is back in a moment and runtimes try again, while a
  // pod that is started without the entry stays without the plugin.
  if ((isBusy && !state.binaries.wereFine) || (unable && withdraw === undefined)) {
    const reason = 'the plugin and its kubeconfig come first'
    health.push({ artefact: 'conflist', path: settings.netDir, state: 'waiting', reason })
    return memory.primary.name
  }
  const plan = planConflist(settings, memory, performance.now(), withdraw)
  const preempted = plan.preemptedBy
  sayOnce(state, 'preempted', preempted, () => ({
    type: 'preempted',
    by: preempted ?? '',
    primary: plan.primary ?? '',
    hint: hintFor(preempted ?? ''),
  }))
  reportSkipped(state, plan.skipped)
  if (plan.until !== undefined) work.againMs = Math.min(work.againMs, plan.until - performance.now() + 1)
  await step(work, 'conflist', plan)
  if (withdraw !== undefined) reportWithdrawal(work, plan, withdraw)
  const primary = memory.primary.name ?? plan.primary
  if (plan.primary !== undefined && primary !== undefined) {
    const former = state.status.primary
    sayOnce(state, 'primary', primary, () => ({ type: 'adopted', primary, former }))
  }
  return primary
}

/** Whether the plugin could not work if it were called now. An older one still can. */
function isUnable({ binDirs, sourceDir, type, kubeconfig }: Settings): boolean {
  if (sourceDir !== undefined) {
    const folders = binDirs.filter((folder) => kindOf(folder) === 'folder')
    if (folders.length === 0 || !folders.every((folder) => kindOf(join(folder, type)) === 'file')) return true
  }
  return kubeconfig !== undefined && kindOf(kubeconfig.path) !== 'file'
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  try {
    const stat = statSync(path)
    return stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'none'
  } catch {
    // missing, or not reachable, which is the same for who wants to run it
    return 'none'
  }
}

function reportWithdrawal(work: Work, plan: StepPlan, reason: string): void {
  for (const change of plan.changes) {
    const index = work.health.findIndex((one) => one.path === change.path && one.state === 'ok')
    if (index < 0) continue
    work.health[index] = { artefact: 'conflist', path: change.path, state: 'waiting', reason: `left out: ${reason}` }
    work.state.emit({ type: 'withdrawn', path: change.path, reason })
  }
}

function reportSkipped(state: State, skipped: ReadonlyMap<string, string>): void {
  for (const topic of state.said.keys()) {
    if (topic.startsWith('skipped ') && !skipped.has(topic.slice('skipped '.length))) state.said.delete(topic)
  }
  for (const [name, reason] of skipped) {
    const path = join(state.settings.netDir, name)
    sayOnce(state, `skipped ${name}`, reason, () => ({ type: 'skipped', path, reason }))
  }
}

function report(work: Work, primary: string | undefined, isBusy: boolean): void {
  const { state } = work
  state.status = toStatus(work.health, primary)
  state.passes += 1
  for (const one of work.health) if (one.state === 'ok') state.seen.add(one.path)
  const bad = state.status.artefacts.find((one) => one.state !== 'ok')
  const { ready, reason } = state.status
  sayOnce(state, 'ready', ready ? 'ready' : undefined, () => ({
    type: 'ready',
    primary,
    ms: performance.now() - work.began,
  }))
  // what is being copied will be there in a moment
  if (isBusy) return
  sayOnce(state, 'not ready', ready ? undefined : reason, () => ({
    type: 'not-ready',
    artefact: bad?.artefact ?? 'conflist',
    reason: reason ?? 'nothing to install',
  }))
}
