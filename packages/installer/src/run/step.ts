import type { Artefact } from '../events.ts'
import { InstallError, toInstallError } from '../install-error.ts'
import type { StepOutcome } from './binary-state.ts'
import type { Change, StepPlan } from './change.ts'
import { hintFor, noteFailure, type State } from './state.ts'

/** After so many rewrites in a row somebody keeps reverting us. */
const QUARREL = 6

/** A pass, or work beside it, and what its steps came to so far. */
export interface Work extends StepOutcome {
  readonly state: State
  readonly began: number
  readonly signal: AbortSignal | undefined
}

/** Nothing done yet. */
export function newWork(state: State, signal: AbortSignal | undefined): Work {
  const { recheckMs } = state.settings
  return { state, began: performance.now(), health: [], errors: [], signal, againMs: recheckMs, postponed: 0 }
}

/** Carries out what a step planned, up to the first failure. */
export async function step(work: Work, artefact: Artefact, plan: StepPlan): Promise<void> {
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
    const why = state.throttle.streak(path) >= QUARREL ? ` (${hintFor(path)})` : ''
    health.push({ artefact, path, state: 'drift', reason: `${path}: ${reason}; put right again in a moment${why}` })
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
  if (rewrites % 50 === QUARREL) state.emit({ type: 'contended', path, rewrites, hint: hintFor(path) })
  return undefined
}
