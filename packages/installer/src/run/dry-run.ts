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

/** Result of {@link Installer.plan}, which writes nothing. */
export interface InstallPlan extends InstallStatus {
  /** Changes that {@link Installer.install} would make, in order. */
  readonly changes: readonly PlannedChange[]
  /** Network that each container runtime would choose after the changes. */
  readonly runtimesAfter?: readonly RuntimeReading[]
}

/** Plans the changes that the installer would make in one check of all files. Does not apply them. */
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
