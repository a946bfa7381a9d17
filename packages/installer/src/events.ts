import type { PlannedChange } from './change.ts'
import type { RuntimeReading } from './conf/runtime-readings.ts'
import type { Health } from './health.ts'
import type { InstallError } from './install-error.ts'

/** An event of the installer, for logs and metrics. Times are in milliseconds. Events contain no secrets. */
export type InstallEvent =
  /**
   * A file was written or removed. `ms` is the time since the begin of the pass; `heal` is true if the file was in
   * order before.
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
  /** The installation became ready: all files are in place. Emitted each time. */
  | { readonly type: 'ready'; readonly primary: string | undefined; readonly ms: number }
  /** The installation is not ready: a file is not in place. Emitted each time the reason changes. */
  | { readonly type: 'not-ready'; readonly artefact: Health['artefact']; readonly reason: string }
  /** A step failed. It is retried after `retryMs`, or at the next event. */
  | {
      readonly type: 'failed'
      readonly artefact: Health['artefact']
      readonly error: InstallError
      readonly attempt: number
      readonly retryMs: number
    }
  /** Another file has become the primary. */
  | { readonly type: 'adopted'; readonly primary: string; readonly former: string | undefined }
  /** A runtime uses another file than the one with our entry. */
  | { readonly type: 'preempted'; readonly by: string; readonly primary: string; readonly hint: string }
  /** Another program keeps reverting a file. */
  | { readonly type: 'contended'; readonly path: string; readonly rewrites: number; readonly hint: string }
  /** Our entry was removed because the plugin could not work. Pods start without it instead of failing. */
  | { readonly type: 'withdrawn'; readonly path: string; readonly reason: string }
  /**
   * Behaviour of each runtime for the net folder. Each change of it is an event.
   * - `ok`: all runtimes run the plugin.
   * - `warn`: some runtimes do.
   * - `fail`: no runtime does.
   *
   * If the node's runtime is known, the `verdict` considers only that one.
   */
  | {
      readonly type: 'runtimes'
      readonly readings: readonly RuntimeReading[]
      readonly verdict: 'ok' | 'warn' | 'fail'
    }
  /**
   * A file of the net folder that no runtime can load. With `more`, `path` is the folder, and `more` is the number of
   * files without an own event.
   */
  | { readonly type: 'skipped'; readonly path: string; readonly reason: string; readonly more?: number }
