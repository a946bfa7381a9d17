import { endWithin } from './end-within.ts'
import type { PassResult } from './pass.ts'
import { newPassPace } from './pass-pace.ts'
import { newWakeups, type Wakeups } from './watch/wakeups.ts'
import { type FolderWatches, type WatchedFolder, watchFolders } from './watch/watch-folders.ts'

/** How soon a folder that does not exist is looked for again. */
const MISSING_MS = 250
/** bun drops the second of two events within a millisecond, which is the one after a half-written file: look again. */
const SECOND_LOOK_MS = 10
/** How long a pass may take to notice that it should stop. */
const STOP_MS = 700

/** What the loop drives. */
export interface LoopBody {
  /** Where to watch, which may be elsewhere after each pass. */
  readonly folders: () => readonly WatchedFolder[]
  readonly pass: (signal: AbortSignal) => Promise<PassResult>
}

/** A loop that runs passes until it is stopped: at once, on every event, and by the clock. */
export interface Loop {
  readonly done: Promise<void>
  wake(): void
}

/** Starts the loop. `done` never rejects, and is settled within a second of the abort. */
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
    // Armed before looking: what happens in between is an event.
    const isArmed = watches.sync(body.folders())
    const { againMs, busy } = await body.pass(signal)
    if (busy !== undefined && busy !== awaited) void busy.then(() => wakeups.wake('work'))
    awaited = busy
    await wakeups.sleep(Math.min(againMs, isByEvent ? SECOND_LOOK_MS : againMs, isArmed ? againMs : MISSING_MS))
    const gap = pace.gapAfter(performance.now())
    if (gap > 0) await wakeups.pause(gap)
  }
}

/** A pass that hangs in the kernel (a dead disk) must not keep the process from ending. */
async function stopSoon(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([work, aborted.then(() => endWithin(STOP_MS, work))])
}
