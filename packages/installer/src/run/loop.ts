import { basename, dirname } from 'node:path'
import { isConfName } from '../conf/conf-name.ts'
import type { Settings } from '../options.ts'
import type { PassResult } from './pass.ts'
import { type FolderWatches, type WatchedFolder, watchFolders } from './watch-folders.ts'

/** How soon a folder that does not exist is looked for again. */
const MISSING_MS = 250
/** The least time between two passes; more when somebody writes without a pause. */
const GAP_MS = 4
const BUSY_GAP_MS = 25
/** bun drops the second of two events within a millisecond, which is the one after a half-written file: look again. */
const SECOND_LOOK_MS = 10
/** How long a pass may take to notice that it should stop. */
const STOP_MS = 700

/** Why a pass is due: something happened to a file, or the work on the binaries came to its end. */
type Cause = 'event' | 'work'

/** What the loop drives. */
export interface LoopBody {
  readonly settings: () => Settings
  /** Folders that became interesting in a pass: where symbolic links lead. */
  readonly extraFolders: () => readonly string[]
  readonly pass: (signal: AbortSignal) => Promise<PassResult>
}

/** A loop that runs passes until it is stopped: at once, on every event, and by the clock. */
export interface Loop {
  readonly done: Promise<void>
  wake(): void
}

/** Starts the loop. `done` never rejects, and is settled within a second of the abort. */
export function startLoop(body: LoopBody, signal: AbortSignal): Loop {
  let pending: Cause | undefined = 'event'
  let resume: () => void = () => {}
  const wakeFor = (cause: Cause): void => {
    if (pending !== 'event') pending = cause
    resume()
  }
  const wake = (): void => wakeFor('event')
  const sleep = (ms: number, until: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        if (!until() && !signal.aborted) return
        finish()
      }
      const finish = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resume = () => {}
        resolve()
      }
      const timer = setTimeout(finish, ms)
      resume = end
      signal.addEventListener('abort', end)
      end()
    })
  const watches = watchFolders(wake)
  return {
    done: stopSoon(
      drive(
        body,
        watches,
        signal,
        sleep,
        () => {
          const cause = pending
          pending = undefined
          return cause
        },
        () => pending !== undefined,
        () => wakeFor('work'),
      ),
      signal,
    ),
    wake,
  }
}

async function drive(
  body: LoopBody,
  watches: FolderWatches,
  signal: AbortSignal,
  sleep: (ms: number, until: () => boolean) => Promise<void>,
  takePending: () => Cause | undefined,
  isPending: () => boolean,
  workDone: () => void,
): Promise<void> {
  const recent: number[] = []
  let awaited: Promise<void> | undefined
  try {
    while (!signal.aborted) {
      const byEvent = takePending() === 'event'
      // Armed before looking: what happens in between is an event.
      const armed = watches.sync(foldersOf(body.settings(), body.extraFolders()))
      const { againMs, busy } = await body.pass(signal)
      if (busy !== undefined && busy !== awaited) void busy.then(workDone)
      awaited = busy
      await sleep(Math.min(againMs, byEvent ? SECOND_LOOK_MS : againMs, armed ? againMs : MISSING_MS), isPending)
      const now = performance.now()
      recent.push(now)
      while ((recent[0] ?? now) < now - 1000) recent.shift()
      const gap = recent.length > 50 ? BUSY_GAP_MS : recent.length > 5 ? GAP_MS : 0
      if (gap > 0) await sleep(gap, () => false)
    }
  } finally {
    watches.close()
  }
}

/** A pass that hangs in the kernel (a dead disk) must not keep the process from ending. */
async function stopSoon(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    const start = (): void => {
      timer = setTimeout(resolve, STOP_MS)
    }
    if (signal.aborted) start()
    else signal.addEventListener('abort', start, { once: true })
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function foldersOf(settings: Settings, extra: readonly string[]): WatchedFolder[] {
  const { netDir, binDirs, sourceDir, kubeconfig } = settings
  const folders = new Map<string, ((name: string) => boolean)[]>()
  const add = (path: string, matters: (name: string) => boolean): void => {
    folders.set(path, [...(folders.get(path) ?? []), matters])
  }
  const all = (name: string): boolean => !name.endsWith('.tmp')
  add(netDir, (name) => isConfName(name) || !name.includes('.'))
  for (const path of extra) add(path, all)
  if (sourceDir !== undefined) {
    add(sourceDir, all)
    for (const path of binDirs) add(path, all)
  }
  if (kubeconfig !== undefined) {
    // the run folder: the plugin's log is written there for every pod
    add(dirname(kubeconfig.path), (name) => name === basename(kubeconfig.path))
    add(dirname(kubeconfig.tokenFile), all)
    if (kubeconfig.caFile !== undefined && !kubeconfig.skipTls) add(dirname(kubeconfig.caFile), all)
  }
  return [...folders].map(([path, tests]) => ({ path, matters: (name) => tests.some((test) => test(name)) }))
}
