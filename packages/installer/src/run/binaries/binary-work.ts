import type { Change } from '../../change.ts'
import type { Health } from '../../health.ts'
import { assertNotAborted, toInstallError } from '../../install-error.ts'
import { removeMarkers } from '../markers.ts'
import { recheckIn } from '../state.ts'
import { newWork, step, type Work } from '../step.ts'
import { planBinaries } from './plan-binaries.ts'
import { withoutUnwritable } from './unwritable-folders.ts'

/** Copies changed binaries. The returned promise `busy` settles when the background work has ended. */
export async function checkBinaries(pass: Work): Promise<{ readonly busy: Promise<void> | undefined }> {
  const { binaries } = pass.state
  if (binaries.running === undefined && binaries.done === undefined) begin(pass)
  const { running } = binaries
  if (running !== undefined) await Promise.race([running.end, new Promise((resolve) => setImmediate(resolve))])
  const { done } = binaries
  if (done === undefined) {
    pass.health.push(...(binaries.running?.found() ?? []))
    return { busy: binaries.running?.end }
  }
  const { health, errors } = withoutUnwritable(pass.state.settings.binDirs, done)
  binaries.done = undefined
  binaries.health = health
  binaries.wereInstalled ||= errors.length === 0 && done.postponed === 0
  pass.health.push(...health)
  pass.errors.push(...errors)
  pass.postponed += done.postponed
  recheckIn(pass, done.recheckInMs)
  return { busy: undefined }
}

function begin(pass: Work): void {
  const { state } = pass
  assertNotAborted(pass.signal)
  const { binaries, settings } = state
  if (binaries.stop.signal.aborted) binaries.stop = new AbortController()
  const work = newWork(state, binaries.stop.signal)
  const source = settings.sourceDir ?? ''
  let toDo: readonly Change[] | undefined
  const run = async (): Promise<void> => {
    try {
      const markers = await removeMarkers(settings)
      const ms = performance.now() - work.began
      for (const change of markers.changes) state.emit({ type: 'changed', ...change, heal: false, ms })
      const plan = await planBinaries(settings, state.verified, work.signal)
      toDo = plan.changes
      await step(work, 'binary', { ...plan, errors: [...markers.errors, ...plan.errors] })
      binaries.done = work
    } catch (cause) {
      // The installer was stopped. `copyBinary` has removed the unfinished copy.
      if (work.signal?.aborted) return
      const error = toInstallError(cause, 'cannot install the binaries of', source)
      work.errors.push(error)
      work.health.push({ artefact: 'binary', path: source, state: 'failed', reason: error.message })
      binaries.done = work
    } finally {
      binaries.running = undefined
    }
  }
  const found = (): readonly Health[] => {
    if (toDo !== undefined) return [...work.health, ...notYet(toDo, work.health)]
    if (binaries.wereInstalled) return binaries.health
    return [{ artefact: 'binary', path: source, state: 'waiting', reason: 'the binaries are compared' }]
  }
  // Starts `run` in a microtask, after the assignment of `running`. Reason: `run` clears `running` at its end.
  binaries.running = { end: Promise.resolve().then(run), found }
}

/** Lists the state of binaries that the installer must still copy. Skips binaries whose state is in `known`. */
function notYet(changes: readonly Change[], known: readonly Health[]): Health[] {
  return changes
    .filter(({ path }) => !known.some((one) => one.path === path))
    .map(({ path, reason }) => ({
      artefact: 'binary',
      path,
      state: 'drift',
      reason: `${path}: ${reason}; being put right`,
    }))
}
