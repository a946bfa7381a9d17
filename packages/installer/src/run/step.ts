import { dirname } from 'node:path'
import type { Change } from '../change.ts'
import type { Health } from '../health.ts'
import { assertNotAborted, type InstallError, toInstallError } from '../install-error.ts'
import { otherInstaller } from './claim/claim.ts'
import { hintFor, noteFailure, recheckIn, type State, type StepOutcome } from './state.ts'
import type { StepPlan } from './step-plan.ts'

/** Number of consecutive rewrites of a file after which another program probably reverts the installer's writes. */
const CONFLICT_REWRITES = 6
/** Number of rewrites of a file between two `contended` events. */
const REMINDER = 50

/** One check of all files, or the background work on the binaries, with the results so far. */
export interface Work extends StepOutcome {
  readonly state: State
  readonly began: number
  readonly signal: AbortSignal | undefined
}

/** Creates the object that collects the results of a check or of background work. */
export function newWork(state: State, signal: AbortSignal | undefined): Work {
  const { recheckMs } = state.settings
  return { state, began: performance.now(), health: [], errors: [], signal, recheckInMs: recheckMs, postponed: 0 }
}

/** Applies the changes of an installation step. In each folder, stops at the first failure. */
export async function step(work: Work, artefact: Health['artefact'], plan: StepPlan): Promise<void> {
  const { state, health, errors } = work
  const postponedBefore = work.postponed
  health.push(...plan.health)
  for (const error of plan.errors) {
    errors.push(error)
    health.push({ artefact, path: error.path ?? '', state: 'failed', reason: error.message })
  }
  const failure = await applyAll(work, artefact, plan.changes)
  if (failure !== undefined) errors.push(failure)
  const first = plan.errors[0] ?? failure
  if (first !== undefined) recheckIn(work, noteFailure(state, artefact, first, performance.now()))
  else if (work.postponed === postponedBefore) state.failures.delete(artefact)
}

async function applyAll(
  work: Work,
  artefact: Health['artefact'],
  changes: readonly Change[],
): Promise<InstallError | undefined> {
  const ended = new Set<string>()
  let failure: InstallError | undefined
  for (const change of changes) {
    const folder = dirname(change.path)
    if (ended.has(folder)) continue
    assertNotAborted(work.signal)
    const postponedBefore = work.postponed
    const error = await applyOne(work, change)
    failure ??= error
    // Delays the folder's later binaries too, because they may need the delayed library.
    if (error !== undefined || (artefact === 'binary' && work.postponed > postponedBefore)) ended.add(folder)
  }
  return failure
}

async function applyOne(work: Work, change: Change): Promise<InstallError | undefined> {
  const { state, health } = work
  const { artefact, action, path, reason } = change
  const heal = state.seen.has(path)
  const wait = state.healLimit.take(path, performance.now(), heal)
  if (wait > 0) {
    postpone(work, change, wait)
    return undefined
  }
  if (artefact !== 'claim' && otherInstaller(state.claim) !== undefined) {
    recheckIn(work, 1)
    health.push({ artefact, path, state: 'drift', reason: `${path}: ${reason}; left to a newer installer` })
    return undefined
  }
  try {
    await change.apply(work.signal)
  } catch (cause) {
    if (work.signal?.aborted) throw cause
    const error = toInstallError(cause, 'cannot write', path)
    if (error.code === 'CHANGED') {
      // Another program is writing the file: the installer's next check reads its new content.
      recheckIn(work, state.settings.rewriteMs)
      health.push({ artefact, path, state: 'drift', reason: error.message })
      return undefined
    }
    health.push({ artefact, path, state: 'failed', reason: error.message })
    return error
  }
  health.push({ artefact, path, state: 'ok' })
  state.emit({ type: 'changed', artefact, action, path, reason, heal, ms: performance.now() - work.began })
  const rewrites = state.healLimit.streak(path)
  if (rewrites % REMINDER === CONFLICT_REWRITES) state.emit({ type: 'contended', path, rewrites, hint: hintFor(path) })
  return undefined
}

/** Delays a change, because the rate limit does not allow another write of the file yet. */
function postpone(work: Work, { artefact, path, reason }: Change, ms: number): void {
  recheckIn(work, ms)
  work.postponed += 1
  const why = work.state.healLimit.streak(path) >= CONFLICT_REWRITES ? ` (${hintFor(path)})` : ''
  const text = `${path}: ${reason}; put right again in a moment${why}`
  work.health.push({ artefact, path, state: 'drift', reason: text })
}
