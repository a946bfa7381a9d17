import { listNames } from './files/list-names.ts'
import { netReader } from './files/net-folder.ts'
import type { InstallStatus } from './health.ts'
import { assertNotAborted, InstallError } from './install-error.ts'
import { type InstallerOptions, type Settings, toSettings } from './options.ts'
import { startClaim } from './run/claim/claim.ts'
import { dryRun, type InstallPlan } from './run/dry-run.ts'
import { type Loop, startLoop } from './run/loop.ts'
import { type PassResult, pass } from './run/pass.ts'
import { newState, type State, withSettings } from './run/state.ts'
import { sweep } from './run/sweep.ts'
import { type UninstallReport, uninstall } from './run/uninstall.ts'
import { foldersToWatch } from './run/watch/folders-to-watch.ts'

/** Keeps one CNI plugin installed on this node. */
export interface Installer {
  /** Checks all files and returns the changes that `install` would make. Changes nothing. */
  plan(): Promise<InstallPlan>
  /**
   * Checks all files once, and restores missing or incorrect files. Succeeds even while the installer waits for a
   * primary configuration.
   *
   * @throws {@link InstallError} The error of the first failed step. Throws `ABORTED` if the AbortSignal aborts.
   */
  install(options?: { readonly signal?: AbortSignal | undefined }): Promise<InstallStatus>
  /**
   * Installs the plugin, and restores its files until the AbortSignal aborts. Reports failures as events and retries.
   * Never rejects.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /** Status of the installation after the last check, without any I/O. For readiness probes. */
  status(): InstallStatus
  /**
   * Ends `run` and removes the plugin from the node. Removes nothing while another installer is active. The report
   * lists remaining files.
   */
  uninstall(): Promise<UninstallReport>
  /**
   * Replaces the options of the installer. The plugin's type must stay the same. Files that only the old options need
   * are removed afterwards.
   */
  reconfigure(options: InstallerOptions): void
}

/**
 * Creates an installer. Reads and writes nothing until the caller calls a method of the installer.
 *
 * @throws {@link InstallError} `INVALID_OPTIONS` for options that can never work.
 */
export function installer(options: InstallerOptions): Installer {
  let state = newState(toSettings(options))
  const retired: Settings[] = []
  let stop = new AbortController()
  let loop: Loop | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** Runs one operation of the installer after all earlier operations have ended. */
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work)
    queue = next.catch(() => {})
    return next
  }
  const onePass = async (signal?: AbortSignal): Promise<PassResult> => {
    assertNotAborted(signal)
    const current = state
    const { sourceDir } = current.settings
    if (current.passes === 0) sweep(current.settings, sourceDir === undefined ? [] : listNames(sourceDir))
    const result = await pass(current, signal)
    if (current.status.ready && current === state) {
      for (const old of retired.splice(0)) await retire(old, current)
      current.memory.retired.clear()
    }
    return result
  }
  /** Repeats the check of all files until the installer no longer compares or copies binaries. */
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
    plan: () => exclusive(() => dryRun(state)),
    async install({ signal } = {}) {
      const [error] = await exclusive(() => wholePass(signal))
      if (error !== undefined) throw error
      return state.status
    },
    async run({ signal }) {
      stop = new AbortController()
      const either = AbortSignal.any([signal, stop.signal])
      either.addEventListener('abort', () => state.binaries.stop.abort(), { once: true })
      const { claimFile } = state.settings
      if (claimFile !== undefined) state.claim ??= startClaim(claimFile, state.settings)
      loop = startLoop(
        {
          folders: () => foldersToWatch(state.settings),
          pass: (passSignal) => exclusive(() => onePass(passSignal)).catch(() => FAILED_PASS),
        },
        either,
      )
      await loop.done
      state.memory.displaced.close()
    },
    status: () => state.status,
    uninstall() {
      stop.abort()
      state.binaries.stop.abort()
      return exclusive(async () => {
        const { settings, net, claim, binaries } = state
        const left = claim?.otherOwner()
        const report =
          left === undefined
            ? await uninstall({ settings, net, claimant: claim?.claimant, copying: binaries.running?.end })
            : { changes: [], errors: [], kept: [], needs: [], moreNeeds: 0, left }
        state.memory.displaced.close()
        state = newState(settings)
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
      state = withSettings(state, settings)
      loop?.wake()
    },
  }
}

/** Result of a check that was aborted, or that failed because of a bug. */
const FAILED_PASS: PassResult = { againMs: 1000, errors: [], busy: undefined }

/** Removes the files and plugin configurations that only the installer's old options need. */
async function retire(old: Settings, { settings: now, claim }: State): Promise<void> {
  const sameFolder = old.netDir === now.netDir
  await uninstall({
    settings: old,
    net: netReader(old.netDir, old.type),
    claimant: claim?.claimant,
    kept: {
      entries: sameFolder && now.mode === 'chained',
      ownFile: sameFolder ? now.ownFile : undefined,
      kubeconfig: now.kubeconfig?.path,
      binaries: now,
      claimFile: now.claimFile,
    },
  })
}
