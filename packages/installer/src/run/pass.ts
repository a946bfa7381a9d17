import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from '../events.ts'
import { type Health, toStatus } from '../health.ts'
import { InstallError, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import type { Change, StepPlan } from './change.ts'
import { planBinaries } from './plan-binaries.ts'
import { planConflist } from './plan-conflist.ts'
import { planKubeconfig } from './plan-kubeconfig.ts'
import { hintFor, noteFailure, type State, sayOnce } from './state.ts'

/** What a pass leaves to do. */
export interface PassResult {
  /** Look again after this many milliseconds even if nothing happens. */
  readonly againMs: number
  readonly errors: readonly InstallError[]
}

/** One pass: binaries, kubeconfig, network configuration; each file only when it is not in order. */
export async function pass(state: State, signal?: AbortSignal): Promise<PassResult> {
  const { settings } = state
  const work: Work = {
    state,
    began: performance.now(),
    health: [],
    errors: [],
    againMs: settings.recheckMs,
    postponed: 0,
    signal,
  }
  const binaries = async (): Promise<void> => {
    await step(work, 'binary', await planBinaries(settings, state.verified, signal))
  }
  // When all was in order, a heal need not wait until a hundred megabytes are compared.
  const binariesLast = state.status.ready
  if (!binariesLast) await binaries()
  await step(work, 'kubeconfig', planKubeconfig(settings))
  const primary = await configure(work)
  if (binariesLast) {
    await binaries()
    // what could not be put right may have to be left out of the network
    if (work.errors.length > 0 && isUnable(settings)) work.againMs = 1
  }
  report(work, primary)
  return { againMs: Math.max(work.againMs, 1), errors: work.errors }
}

interface Work {
  readonly state: State
  readonly began: number
  readonly health: Health[]
  readonly errors: InstallError[]
  readonly signal: AbortSignal | undefined
  againMs: number
  /** How many changes must wait, because their file was just written. */
  postponed: number
}

/** The step of the network configuration; returns the primary's name. */
async function configure(work: Work): Promise<string | undefined> {
  const { state, errors, health } = work
  const { settings, memory, failures } = state
  const unable = (errors.length > 0 || work.postponed > 0) && isUnable(settings)
  const withdraw = unable ? (errors[0] ?? failures.get('binary') ?? failures.get('kubeconfig'))?.message : undefined
  if (unable && withdraw === undefined) {
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

async function step(work: Work, artefact: Artefact, plan: StepPlan): Promise<void> {
  const { state, health } = work
  health.push(...plan.health)
  let first: InstallError | undefined
  const before = work.postponed
  for (const error of plan.errors) {
    first ??= error
    work.errors.push(error)
    health.push({ artefact, path: error.path ?? '', state: 'failed', reason: error.message })
  }
  for (const change of plan.changes) {
    if (work.signal?.aborted) throw new InstallError('ABORTED', 'stopped')
    const error = await carryOut(work, change)
    // A binary may need the libraries before it: it waits when they must.
    if (error === undefined && (artefact !== 'binary' || work.postponed === before)) continue
    if (error !== undefined) work.errors.push(error)
    first ??= error
    break
  }
  if (first === undefined && work.postponed === before) state.failures.delete(artefact)
  if (first !== undefined) work.againMs = Math.min(work.againMs, noteFailure(state, artefact, first, performance.now()))
}

async function carryOut(work: Work, change: Change): Promise<InstallError | undefined> {
  const { state, health } = work
  const { artefact, action, path, reason } = change
  const wait = state.throttle.take(path, performance.now())
  if (wait > 0) {
    work.againMs = Math.min(work.againMs, wait)
    work.postponed += 1
    health.push({ artefact, path, state: 'drift', reason: `${reason}; put right again in a moment` })
    return undefined
  }
  try {
    await change.apply(work.signal)
  } catch (cause) {
    if (work.signal?.aborted) throw cause
    const error = toInstallError(cause, 'cannot write', path)
    if (error.code === 'CHANGED') {
      // somebody is writing it right now: look at the new content
      work.againMs = Math.min(work.againMs, state.settings.rewriteMs)
      health.push({ artefact, path, state: 'drift', reason: error.message })
      return undefined
    }
    health.push({ artefact, path, state: 'failed', reason: error.message })
    return error
  }
  health.push({ artefact, path, state: 'ok' })
  const heal = state.seen.has(path)
  state.emit({ type: 'changed', artefact, action, path, reason, heal, ms: performance.now() - work.began })
  const rewrites = state.throttle.streak(path)
  if (rewrites > 0 && rewrites % 50 === 6) state.emit({ type: 'contended', path, rewrites, hint: hintFor(path) })
  return undefined
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

function report(work: Work, primary: string | undefined): void {
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
  sayOnce(state, 'not ready', ready ? undefined : reason, () => ({
    type: 'not-ready',
    artefact: bad?.artefact ?? 'conflist',
    reason: reason ?? 'nothing to install',
  }))
}
