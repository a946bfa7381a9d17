import type { PlannedChange } from './change.ts'
import type { RuntimeReading } from './conf/runtime-readings.ts'
import type { Health } from './health.ts'
import type { InstallError } from './install-error.ts'

/** An event of the installer, for logs and metrics. Times are in milliseconds. Events contain no secrets. */
export type InstallEvent =
  /**
   * The installer wrote or removed a file. `ms` is the time since the current check began. `heal` is true if the file
   * was correct before.
   */
  | {
      readonly type: 'changed'
      readonly artefact: Health['artefact']
      readonly action: PlannedChange['action']
      readonly path: string
      readonly reason: string
      readonly heal: boolean
      readonly ms: number
    }
  /** The installation became ready: all files are in place. Emitted each time the installation becomes ready. */
  | { readonly type: 'ready'; readonly primary: string | undefined; readonly ms: number }
  /** The installation is not ready: a file is not in place. Emitted each time the reason changes. */
  | { readonly type: 'not-ready'; readonly artefact: Health['artefact']; readonly reason: string }
  /** An installation step failed. The installer retries the step after `retryMs` or sooner. */
  | {
      readonly type: 'failed'
      readonly artefact: Health['artefact']
      readonly error: InstallError
      readonly attempt: number
      readonly retryMs: number
    }
  /** Another configuration file has become the primary configuration. The installer adds the plugin to this file. */
  | { readonly type: 'adopted'; readonly primary: string; readonly former: string | undefined }
  /** A container runtime no longer uses the configuration file to which the installer has added the plugin. */
  | { readonly type: 'preempted'; readonly by: string; readonly primary: string; readonly hint: string }
  /** Another program repeatedly reverts a file that the installer writes. */
  | { readonly type: 'contended'; readonly path: string; readonly rewrites: number; readonly hint: string }
  /**
   * The installer removed the plugin from the network configuration, because the plugin could not work. Pods would
   * otherwise fail to start.
   */
  | { readonly type: 'withdrawn'; readonly path: string; readonly reason: string }
  /**
   * Network that each container runtime chooses from the CNI network folder. Emitted when a choice changes. If the
   * node's runtime is known, the `verdict` considers only that runtime.
   * - `ok`: all container runtimes run the plugin.
   * - `warn`: only some container runtimes run the plugin.
   * - `fail`: no container runtime runs the plugin.
   */
  | {
      readonly type: 'runtimes'
      readonly readings: readonly RuntimeReading[]
      readonly verdict: 'ok' | 'warn' | 'fail'
    }
  /**
   * A file of the CNI network folder that no container runtime can load. If `more` is set, `path` is the folder, and
   * `more` counts further such files.
   */
  | { readonly type: 'skipped'; readonly path: string; readonly reason: string; readonly more?: number }
