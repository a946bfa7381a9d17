import type { PlannedChange } from './change.ts'
import type { RuntimeReading } from './conf/runtime-readings.ts'
import type { Health } from './health.ts'
import type { InstallError } from './install-error.ts'

/** Something that happened, for logs and metrics. Times are in milliseconds; nothing in it is secret. */
export type InstallEvent =
  /** A file was written or removed; `ms` since the pass began. `heal`: it had been in order before. */
  | {
      readonly type: 'changed'
      readonly artefact: Health['artefact']
      readonly action: PlannedChange['action']
      readonly path: string
      readonly reason: string
      readonly heal: boolean
      readonly ms: number
    }
  /** Everything is in place; said once each time that becomes true. */
  | { readonly type: 'ready'; readonly primary: string | undefined; readonly ms: number }
  /** Something is not in place, and why; said each time the reason changes. */
  | { readonly type: 'not-ready'; readonly artefact: Health['artefact']; readonly reason: string }
  /** A step failed; it is tried again after `retryMs`, or at the next event. */
  | {
      readonly type: 'failed'
      readonly artefact: Health['artefact']
      readonly error: InstallError
      readonly attempt: number
      readonly retryMs: number
    }
  /** Another file has the role of the primary now. */
  | { readonly type: 'adopted'; readonly primary: string; readonly former: string | undefined }
  /** A runtime uses another file than the one we are in. */
  | { readonly type: 'preempted'; readonly by: string; readonly primary: string; readonly hint: string }
  /** Something keeps reverting a file. */
  | { readonly type: 'contended'; readonly path: string; readonly rewrites: number; readonly hint: string }
  /** Our entry was taken out because the plugin could not work: pods start without it instead of failing. */
  | { readonly type: 'withdrawn'; readonly path: string; readonly reason: string }
  /**
   * What each runtime does with the net folder; said each time that changes. `verdict`: whether all of them run the
   * plugin (`ok`), some of them (`warn`), or none (`fail`); the node's runtime alone decides where it is known.
   */
  | {
      readonly type: 'runtimes'
      readonly readings: readonly RuntimeReading[]
      readonly verdict: 'ok' | 'warn' | 'fail'
    }
  /** A file of the net folder that no runtime can load. With `more`, `path` is the folder, and so many others are not named. */
  | { readonly type: 'skipped'; readonly path: string; readonly reason: string; readonly more?: number }
