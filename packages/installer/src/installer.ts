import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isConfName } from './conf/conf-name.ts'
import { sweepTemporaries } from './files/temporary.ts'
import { type Health, type InstallStatus, toStatus } from './health.ts'
import { InstallError } from './install-error.ts'
import { type InstallerOptions, type Settings, toSettings } from './options.ts'
import { describeChange, type PlannedChange } from './run/change.ts'
import { type Loop, startLoop } from './run/loop.ts'
import { copyMemory } from './run/memory.ts'
import { type PassResult, pass } from './run/pass.ts'
import { planBinaries } from './run/plan-binaries.ts'
import { planConflist } from './run/plan-conflist.ts'
import { planKubeconfig } from './run/plan-kubeconfig.ts'
import { newState, type State } from './run/state.ts'
import { foldersOf, type UninstallReport, uninstall } from './run/uninstall.ts'

/** What {@link Installer.plan} found: nothing was written for it. */
export interface InstallPlan extends InstallStatus {
  /** What {@link Installer.install} would do, in order. */
  readonly changes: readonly PlannedChange[]
}

/** Keeps one plugin installed on this node. */
export interface Installer {
  /** Looks, and says what is in order and what would be written. Changes nothing. */
  plan(): Promise<InstallPlan>
  /**
   * One pass. A primary that is not there yet is no error: the status says what is waited for.
   *
   * @throws {@link InstallError} of the first step that failed.
   */
  install(signal?: AbortSignal): Promise<InstallStatus>
  /** Installs, watches and heals until the signal; failures are events, and tried again. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** How things were after the last pass. Costs nothing: for readiness. */
  status(): InstallStatus
  /** Ends `run` and takes the plugin off the node. What could not be removed is in the report. */
  uninstall(): Promise<UninstallReport>
  /** Other options for the same plugin type; what only the old ones had is removed once the new ones are in place. */
  reconfigure(options: InstallerOptions): void
}

/**
 * Makes an installer. Nothing is read or written before one of its methods is called.
 *
 * @throws {@link InstallError} `INVALID_OPTIONS` for a set-up that could never work.
 */
export function createInstaller(options: InstallerOptions): Installer {
  let state = newState(toSettings(options))
  const retired: Settings[] = []
  let stop = new AbortController()
  let loop: Loop | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** Passes, plans and removals come one after the other. */
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work)
    queue = next.catch(() => {})
    return next
  }
  const onePass = async (signal?: AbortSignal): Promise<PassResult> => {
    if (signal?.aborted) throw new InstallError('ABORTED', 'stopped')
    const current = state
    if (current.passes === 0) sweep(current.settings)
    const result = await pass(current, signal)
    if (current.status.ready && current === state) {
      for (const old of retired.splice(0)) await retire(old, current.settings)
      current.memory.retired.clear()
    }
    return result
  }
  /** A pass, and another one after what it left under way. */
  const wholePass = async (signal?: AbortSignal): Promise<readonly InstallError[]> => {
    const { binaries } = state
    const abort = (): void => binaries.stop.abort()
    signal?.addEventListener('abort', abort)
    try {
      for (;;) {
        const { busy, errors } = await onePass(signal)
        if (busy === undefined) return errors
        await busy
      }
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  return {
    plan: () => exclusive(() => look(state)),
    async install(signal) {
      const [error] = await exclusive(() => wholePass(signal))
      if (error !== undefined) throw error
      return state.status
    },
    async run(signal) {
      stop = new AbortController()
      const either = AbortSignal.any([signal, stop.signal])
      loop = startLoop(
        {
          settings: () => state.settings,
          extraFolders: () => linkFolders(state.settings.netDir),
          pass: (passSignal) => exclusive(() => onePass(passSignal)).catch(() => FAILED_PASS),
        },
        either,
      )
      await loop.done
      state.binaries.stop.abort()
    },
    status: () => state.status,
    uninstall() {
      stop.abort()
      state.binaries.stop.abort()
      return exclusive(async () => {
        const report = await uninstall(state.settings)
        state = newState(state.settings)
        return report
      })
    },
    reconfigure(next) {
      const settings = toSettings(next)
      if (settings.type !== state.settings.type) {
        throw new InstallError('INVALID_OPTIONS', `plugin type ${settings.type}: it was ${state.settings.type} before`)
      }
      retired.push(state.settings)
      state.binaries.stop.abort()
      const { memory, passes, status, settings: old } = state
      const fresh = { ...newState(settings), passes, status }
      state = settings.netDir === old.netDir ? { ...fresh, memory } : fresh
      if (old.ownFile !== undefined) state.memory.retired.add(old.ownFile)
      if (settings.ownFile !== undefined) state.memory.retired.delete(settings.ownFile)
      loop?.wake()
    },
  }
}

/** Stopped, or a bug: either way the loop goes on, and looks again. */
const FAILED_PASS: PassResult = { againMs: 1000, errors: [], busy: undefined }

/** What interrupted runs left; also under the names of other installers. */
function sweep(settings: Settings): void {
  const { binDirs, sourceDir, type } = settings
  for (const folder of foldersOf(settings)) {
    sweepTemporaries(folder, type, sourceDir !== undefined && binDirs.includes(folder) ? namesIn(sourceDir) : [])
  }
}

async function look(state: State): Promise<InstallPlan> {
  const { settings, verified } = state
  const memory = copyMemory(state.memory)
  const conflist = planConflist(settings, memory, performance.now())
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
  const changes = steps.flatMap((step) => step.changes.map(describeChange))
  return { ...toStatus(health, conflist.primary), changes }
}

async function retire(old: Settings, now: Settings): Promise<void> {
  const sameFolder = old.netDir === now.netDir
  await uninstall(old, {
    entries: sameFolder && now.mode === 'chained',
    ownFile: sameFolder ? now.ownFile : undefined,
    kubeconfig: now.kubeconfig?.path,
    binDirs: now.binDirs,
  })
}

/** Where the symbolic links of a net folder lead: a write there is no event in the folder itself. */
function linkFolders(netDir: string): string[] {
  const folders = new Set<string>()
  for (const name of namesIn(netDir).filter(isConfName)) {
    try {
      const folder = dirname(realpathSync(join(netDir, name)))
      if (folder !== netDir && folder !== realpathSync(netDir)) folders.add(folder)
    } catch {
      // dangling, or gone
    }
  }
  return [...folders]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // missing: reported where it matters
    return []
  }
}
