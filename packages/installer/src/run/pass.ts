import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isMarked } from '@cni/skel'
import { judgeReadings, type RuntimeReading } from '../conf/runtime-readings.ts'
import { damageOf } from '../files/damage.ts'
import type { InstallStatus } from '../health.ts'
import type { InstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { checkBinaries } from './binaries/binary-work.ts'
import { putBack } from './conflist/conf-changes.ts'
import { type NetFolderPlan, planConflist, rescan } from './conflist/plan-conflist.ts'
import { readRuntimes } from './conflist/read-runtimes.ts'
import { holdClaim } from './hold-claim.ts'
import { planKubeconfig } from './plan-kubeconfig.ts'
import {
  reportAdopted,
  reportPreempted,
  reportRuntimes,
  reportSkipped,
  reportStatus,
  reportWithdrawal,
} from './report.ts'
import { recheckIn, type State } from './state.ts'
import { newWork, step, type Work } from './step.ts'
import { withChange } from './step-plan.ts'

/** Result of one pass, in which the installer checks and restores all files. */
export interface PassResult {
  /** Milliseconds until the installer's next check of all files, if no file event comes before. */
  readonly againMs: number
  readonly errors: readonly InstallError[]
  /** Settles when the binaries have been compared and copied. The installer then checks all files again. */
  readonly busy: Promise<void> | undefined
}

/**
 * Runs one pass: the installer checks binaries, kubeconfig and network configuration. Writes only missing and incorrect
 * files.
 */
export async function pass(state: State, signal?: AbortSignal): Promise<PassResult> {
  const work = newWork(state, signal)
  if (!(await holdClaim(work))) {
    state.binaries.stop.abort()
    reportStatus(work, {}, false)
    return { againMs: Math.max(work.recheckInMs, 1), errors: [], busy: undefined }
  }
  const { busy } = await checkBinaries(work)
  await step(work, 'kubeconfig', planKubeconfig(state.settings))
  reportStatus(work, await configure(work, busy !== undefined), busy !== undefined)
  return { againMs: Math.max(work.recheckInMs, 1), errors: work.errors, busy }
}

/** Checks and restores the network configuration, the last step of a pass. */
async function configure(work: Work, isBusy: boolean): Promise<Pick<InstallStatus, 'primary' | 'runtimes'>> {
  const { state, errors, health } = work
  const { settings, memory, failures } = state
  const isUnable = (errors.length > 0 || work.postponed > 0) && !couldWork(settings)
  const failure = errors[0] ?? failures.get('binary') ?? failures.get('kubeconfig')
  const withdraw = isUnable ? failure?.message : undefined
  // Only the first installation waits for the binaries: afterwards an older plugin can serve new pods.
  if ((isBusy && !state.binaries.wereInstalled) || (isUnable && withdraw === undefined)) {
    const reason = 'the plugin and its kubeconfig come first'
    health.push({ artefact: 'conflist', path: settings.netDir, state: 'waiting', reason })
    return withPrimary(memory.primary.name)
  }
  await putBackLateWrites(work)
  const plan = planConflist(settings, memory, { now: performance.now(), withdraw, net: state.net })
  reportSkipped(state, plan.skipped)
  if (plan.until !== undefined) recheckIn(work, plan.until - performance.now() + 1)
  await step(work, 'conflist', plan)
  if (withdraw !== undefined) reportWithdrawal(work, plan, withdraw)
  // Takes the primary's name from `memory`, because the step above may have converted `x.conf` to `x.conflist`.
  const primary = memory.primary.name ?? plan.primary
  if (plan.primary !== undefined && primary !== undefined) reportAdopted(state, primary)
  const runtimes = runtimesNow(state, plan)
  // The file that runtimes now use may contain the plugin: Multus may have copied it there.
  const isRun = runtimes !== undefined && judgeReadings(runtimes, settings.runtime).verdict === 'ok'
  reportPreempted(state, isRun ? { ...plan, preemptedBy: undefined } : plan)
  // Reports nothing in the grace period of an invalid primary file. Its owner may be writing it.
  if (runtimes !== undefined && plan.until === undefined) reportRuntimes(state, runtimes)
  return { ...withPrimary(primary), ...(runtimes === undefined ? {} : { runtimes }) }
}

const withPrimary = (primary: string | undefined): Pick<InstallStatus, 'primary'> =>
  primary === undefined ? {} : { primary }

/** Network that each container runtime chooses from the CNI network folder after this check of all files. */
function runtimesNow({ settings, memory, net }: State, plan: NetFolderPlan): RuntimeReading[] | undefined {
  try {
    const files = plan.changes.length === 0 ? plan.files : rescan(settings, memory, net)
    return files === undefined ? undefined : readRuntimes(settings, files)
  } catch {
    // The CNI network folder was removed or made inaccessible meanwhile. The installer's next check reports it.
    return undefined
  }
}

/** Restores late writes: configurations that other programs have written to files already replaced by the installer. */
async function putBackLateWrites(work: Work): Promise<void> {
  const { memory, settings } = work.state
  const { displaced } = memory
  for (const late of displaced.lateWrites())
    await step(work, 'conflist', withChange(putBack(late, settings.type, displaced)))
}

/** True if the plugin's binary and kubeconfig exist, even in an older version. */
function couldWork({ binDirs, sourceDir, type, kubeconfig }: Settings): boolean {
  if (sourceDir !== undefined) {
    const folders = binDirs.filter((folder) => kindOf(folder) === 'folder')
    if (folders.length === 0 || !folders.every((folder) => isProgram(join(folder, type)))) return false
  }
  return kubeconfig === undefined || kindOf(kubeconfig.path) === 'file'
}

function isProgram(path: string): boolean {
  try {
    return damageOf(path) === undefined && !isMarked(path)
  } catch {
    // The plugin's binary is missing, or its path is not a file.
    return false
  }
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  try {
    const stat = statSync(path)
    return stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'none'
  } catch {
    // The path is missing or inaccessible. Runtimes cannot start the plugin in either case.
    return 'none'
  }
}
