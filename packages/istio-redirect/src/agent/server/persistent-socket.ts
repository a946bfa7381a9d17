import { chmodSync, type FSWatcher, lstatSync, mkdirSync, rmdirSync, unlinkSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf, messageOf } from '@cni/types'
import { throttledLog } from '../log/throttled-log.ts'
import type { ScopedLog } from '../shared/deps.ts'
import { type ClosableServer, listen, shut } from './listen.ts'

/** Interval in milliseconds between checks of the socket. A check creates a missing or replaced socket again. */
const CHECK_INTERVAL_MS = 1000

/** Unix socket that is made again when another process removes or replaces it. */
export interface PersistentSocket {
  /** Returns the reason why clients cannot connect now. `undefined` if they can. */
  problem(): string | undefined
  close(): Promise<void>
}

/** Options of {@link persistentSocket}. */
export interface SocketOptions {
  /** Mode of the socket. Default 0666: every process that can reach the folder may connect. */
  readonly mode?: number
  readonly log: ScopedLog
  /** Called after each failed attempt to make the socket. */
  readonly failed: () => void
}

/** Serves on a unix socket in a folder that only root can write to. */
export async function persistentSocket(
  path: string,
  create: () => ClosableServer,
  options: SocketOptions,
): Promise<PersistentSocket> {
  const { mode = 0o666, log, failed } = options
  const failures = throttledLog(log, `listening on ${path} again`, { level: 'error' })
  const losses = throttledLog(log, '')
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
  const isIntact = (): boolean => server !== undefined && identityOf(path) === identity
  const check = (): void => {
    working = working.then(async () => {
      if (closed) return
      if (!isIntact()) {
        if (server !== undefined) {
          losses.failed(`${path} was ${identityOf(path) === undefined ? 'removed' : 'replaced'}: creating it again`)
          await shut(server)
          server = undefined
        }
        await attempt()
      }
      arm()
    })
  }
  // Watches only the socket, because the plugin often writes a log file to the folder.
  const arm = (): void => {
    watcher?.close()
    watcher = undefined
    try {
      const made = watch(path, () => {
        // Ignores changes during creation of the socket, because the agents themselves cause these changes.
        const isQuiet = problem === undefined && performance.now() - madeAt > CHECK_INTERVAL_MS
        if (isQuiet && !isIntact()) check()
      })
      made.on('error', () => {})
      watcher = made
    } catch {
      // The socket cannot be watched now. The timer checks the socket instead.
    }
  }
  await attempt()
  arm()
  const timer = setInterval(() => {
    if (!isIntact()) check()
  }, CHECK_INTERVAL_MS)
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
    // Includes mode and change time in the file's identity, because the kernel reuses a free inode number at once.
    const { dev, ino, mode, ctimeMs } = lstatSync(path)
    return `${dev}:${ino}:${mode}:${ctimeMs}`
  } catch {
    // A missing file has no identity.
    return undefined
  }
}
