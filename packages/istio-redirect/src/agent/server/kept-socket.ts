import { chmodSync, type FSWatcher, lstatSync, mkdirSync, rmdirSync, unlinkSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf, messageOf } from '@cni/types'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../part/services.ts'
import { type ClosableServer, listen, shut } from './listen.ts'

/**
 * How long at most a missing socket goes unnoticed, and how long to wait before it is made again when that failed or when
 * another agent has just made its own in the same place.
 */
const LOOK_MS = 1000

/** A unix socket that is made again when somebody removes or replaces it. */
export interface KeptSocket {
  /** Why nobody can connect now; `undefined` when everybody can. */
  problem(): string | undefined
  close(): Promise<void>
}

/** Who may write to the socket, and where {@link keepSocket} reports what happens to it. */
export interface SocketOptions {
  /** Default 0666: every process that reaches the folder. */
  readonly mode?: number
  readonly log: ScopedLog
  /** Called after each attempt to make the socket that failed. */
  readonly failed: () => void
}

/**
 * Serves on a unix socket; its folder is for root. What keeps the socket
 * from being made, such as a folder with files in its place or a read-only disk, is logged, and it is tried again.
 */
export async function keepSocket(
  path: string,
  create: () => ClosableServer,
  options: SocketOptions,
): Promise<KeptSocket> {
  const { mode = 0o666, log, failed } = options
  const failures = calmLog(log, `listening on ${path} again`, { level: 'error' })
  const losses = calmLog(log, '')
  let server: ClosableServer | undefined
  let madeAt = 0
  let identity: string | undefined
  let problem: string | undefined
  let watcher: FSWatcher | undefined
  let working = Promise.resolve()
  let closed = false

  const attempt = async (): Promise<void> => {
    try {
      server = await open(path, mode, create)
      identity = identityOf(path)
      madeAt = performance.now()
      problem = undefined
      failures.worked()
    } catch (error) {
      problem = `cannot listen on ${path}: ${messageOf(error)}`
      failed()
      failures.failed(problem)
    }
  }
  const isInOrder = (): boolean => server !== undefined && identityOf(path) === identity
  const look = (): void => {
    working = working.then(async () => {
      if (closed) return
      if (!isInOrder()) {
        if (server !== undefined) {
          losses.failed(`${path} was ${identityOf(path) === undefined ? 'removed' : 'replaced'}: it is made again`)
          await shut(server)
          server = undefined
        }
        await attempt()
      }
      arm()
    })
  }
  // The socket, and not its folder: every call of the plugin writes to a log there. Who replaces the folder is found out by
  // the timer.
  const arm = (): void => {
    watcher?.close()
    watcher = undefined
    try {
      const made = watch(path, () => {
        // Not after a failure, and not soon after a success: our own attempts are events too, and so are those of another
        // agent. The timer looks then.
        const isQuiet = problem === undefined && performance.now() - madeAt > LOOK_MS
        if (isQuiet && !isInOrder()) look()
      })
      made.on('error', () => {})
      watcher = made
    } catch {
      // The timer looks.
    }
  }
  await attempt()
  arm()
  const timer = setInterval(() => {
    if (!isInOrder()) look()
  }, LOOK_MS)
  return {
    problem: () => problem,
    async close() {
      closed = true
      clearInterval(timer)
      watcher?.close()
      await working
      if (server === undefined) return
      await shut(server)
      if (identityOf(path) === identity) remove(path)
    },
  }
}

async function open(path: string, mode: number, create: () => ClosableServer): Promise<ClosableServer> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
  remove(path)
  const server = create()
  await listen(server, path)
  try {
    chmodSync(path, mode)
  } catch (error) {
    await shut(server)
    throw error
  }
  return server
}

function remove(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path)
    else unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

function identityOf(path: string): string | undefined {
  try {
    // inode numbers are used again at once
    const { dev, ino, mode, ctimeMs } = lstatSync(path)
    return `${dev}:${ino}:${mode}:${ctimeMs}`
  } catch {
    // gone
    return undefined
  }
}
