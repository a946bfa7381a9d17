import { describeChange, type PlannedChange } from '../change.ts'
import type { RuntimeReading } from '../conf/runtime-readings.ts'
import { type Health, type InstallStatus, toStatus } from '../health.ts'
import { planBinaries } from './binaries/plan-binaries.ts'
import { planConflist } from './conflist/plan-conflist.ts'
import { readRuntimes, readRuntimesAfter, withVerdict } from './conflist/read-runtimes.ts'
import { plannedMarkers } from './markers.ts'
import { copyMemory } from './memory.ts'
import { planKubeconfig } from './plan-kubeconfig.ts'
import type { State } from './state.ts'

/** What {@link Installer.plan} found: nothing was written for it. */
export interface InstallPlan extends InstallStatus {
  /** What {@link Installer.install} would do, in order. */
  readonly changes: readonly PlannedChange[]
  /** What each runtime will do once the changes are written. */
  readonly runtimesAfter?: readonly RuntimeReading[]
}

/** Plans a pass without carrying it out. */
export async function dryRun({ settings, verified, memory, net }: State): Promise<InstallPlan> {
  const conflist = planConflist(settings, copyMemory(memory), { now: performance.now(), net })
  const steps = [
    { artefact: 'binary' as const, ...(await planBinaries(settings, verified)) },
    { artefact: 'kubeconfig' as const, ...planKubeconfig(settings) },
    { artefact: 'conflist' as const, ...conflist },
  ]
  const health = steps.flatMap(({ artefact, health: fine, changes, errors }): Health[] => [
    ...fine,
    ...changes.map(({ path, reason }): Health => ({ artefact, path, state: 'drift', reason: `${path}: ${reason}` })),
    ...errors.map(({ path, message }): Health => ({ artefact, path: path ?? '', state: 'failed', reason: message })),
  ])
  const changes = [...plannedMarkers(settings), ...steps.flatMap((step) => step.changes.map(describeChange))]
  const { files, primary } = conflist
  if (files === undefined) return { ...toStatus(health, primary), changes }
  const runtimesAfter = readRuntimesAfter(settings, files, conflist.changes)
  const status = toStatus(withVerdict(health, runtimesAfter, settings), primary, readRuntimes(settings, files))
  return { ...status, changes, ...(runtimesAfter === undefined ? {} : { runtimesAfter }) }
}
