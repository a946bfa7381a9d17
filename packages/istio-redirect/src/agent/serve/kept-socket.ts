import { chmodSync, type FSWatcher, lstatSync, mkdirSync, rmdirSync, unlinkSync, watch } from 'node:fs'
import type { Server } from 'node:http'
import { basename, dirname } from 'node:path'
import { errnoOf, messageOf } from '@cni/types'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../services.ts'
import { listen, shut } from './listen.ts'

/**
 * How often the socket is looked for when its folder tells nothing, tried again when it could not be made, and taken
 * back from another agent that does the same.
 */
const LOOK_MS = 1000

/** A unix socket that is made again when somebody removes it. */
export interface KeptSocket {
  /** Why nobody reaches it now. */
  problem(): string | undefined
  close(): Promise<void>
}

/** Where is told what becomes of the socket. */
export interface SocketReports {
  readonly log: ScopedLog
  /** Once for each attempt. */
  readonly failed: () => void
}

/**
 * Serves on a unix socket that every process of the node may write to; its folder is for root. What keeps the socket
 * from being made, such as a full folder in its place or a read-only disk, is told and tried again.
 */
export async function keepSocket(path: string, create: () => Server, reports: SocketReports): Promise<KeptSocket> {
  const { log } = reports
  const calm = calmLog(log, `listening on ${path} again`, { level: 'error' })
  const quarrel = calmLog(log, '')
  let server: Server | undefined
  let madeAt = 0
  let identity: string | undefined
  let problem: string | undefined
  let watcher: FSWatcher | undefined
  let working = Promise.resolve()
  let closed = false

  const attempt = async (): Promise<void> => {
    try {
      server = await open(path, create)
      identity = identityOf(path)
      madeAt = performance.now()
      problem = undefined
      calm.worked()
    } catch (error) {
      problem = `cannot listen on ${path}: ${messageOf(error)}`
      reports.failed()
      calm.failed(problem)
    }
  }
  const isInOrder = (): boolean => server !== undefined && identityOf(path) === identity
  const look = (): void => {
    working = working.then(async () => {
      if (closed) return
      if (!isInOrder()) {
        if (server !== undefined) {
          quarrel.failed(`${path} was ${identityOf(path) === undefined ? 'removed' : 'replaced'}: it is made again`)
          await shut(server)
          server = undefined
        }
        await attempt()
      }
      arm()
    })
  }
  // The folder may be replaced as well: then the watch is on the old one until the clock's next look.
  const arm = (): void => {
    watcher?.close()
    watcher = undefined
    try {
      const made = watch(dirname(path), (_, name) => {
        // otherwise the clock looks: an attempt that failed may be an event itself, and so is another agent's
        const isCalm = problem === undefined && performance.now() - madeAt > LOOK_MS
        if (name === basename(path) && isCalm && !isInOrder()) look()
      })
      made.on('error', () => {})
      watcher = made
    } catch {
      // looked at by the clock
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

async function open(path: string, create: () => Server): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
  remove(path)
  const server = create()
  await listen(server, path)
  try {
    chmodSync(path, 0o666)
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
    const { dev, ino, mode, ctimeNs } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}:${mode}:${ctimeNs}`
  } catch {
    // gone
    return undefined
  }
}
