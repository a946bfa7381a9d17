import type { PassResult } from './pass.ts'
import { newPassPace } from './pass-pace.ts'
import { newWakeups, type Wakeups } from './watch/wakeups.ts'
import { type FolderWatches, type WatchedFolder, watchFolders } from './watch/watch-folders.ts'
import { withDeadline } from './with-deadline.ts'

/** Milliseconds until the installer checks again if a folder is missing. A missing folder cannot be watched. */
const MISSING_MS = 250
/** Milliseconds until a second check of the files, because the first check may see half-written files. */
const SECOND_CHECK_MS = 10
/** Maximum milliseconds that a stopped loop waits for the end of a running check of the files. */
const STOP_MS = 700

/** Functions that the installer's loop calls to watch folders and to check files. */
export interface LoopBody {
  /** Returns the folders to watch, which may change after each check of the files. */
  readonly folders: () => readonly WatchedFolder[]
  readonly pass: (signal: AbortSignal) => Promise<PassResult>
}

/** The installer's loop, which checks and restores all files after events and regularly. */
export interface Loop {
  readonly done: Promise<void>
  wake(): void
}

/** Starts the installer's loop. `done` never rejects, and settles within a second of the abort. */
export function startLoop(body: LoopBody, signal: AbortSignal): Loop {
  const wakeups = newWakeups(signal)
  const wake = (): void => wakeups.wake('event')
  wake()
  const watches = watchFolders(wake)
  const work = drive({ body, watches, wakeups, signal }).finally(() => watches.close())
  return { done: stopSoon(work, signal), wake }
}

interface Drive {
  readonly body: LoopBody
  readonly watches: FolderWatches
  readonly wakeups: Wakeups
  readonly signal: AbortSignal
}

async function drive({ body, watches, wakeups, signal }: Drive): Promise<void> {
  const pace = newPassPace()
  let awaited: Promise<void> | undefined
  while (!signal.aborted) {
    const isByEvent = wakeups.take() === 'event'
    // Starts the file watches before the check of the files, because changes during the check must cause events.
    const isArmed = watches.sync(body.folders())
    const { againMs, busy } = await body.pass(signal)
    if (busy !== undefined && busy !== awaited) void busy.then(() => wakeups.wake('work'))
    awaited = busy
    await wakeups.sleep(Math.min(againMs, isByEvent ? SECOND_CHECK_MS : againMs, isArmed ? againMs : MISSING_MS))
    const gap = pace.gapAfter(performance.now())
    if (gap > 0) await wakeups.pause(gap)
  }
}

/** Limits the wait after an abort, because the kernel may block a check for ever. */
async function stopSoon(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([work, aborted.then(() => withDeadline(STOP_MS, work))])
}
