import { chmodSync, type FSWatcher, lstatSync, mkdirSync, rmdirSync, unlinkSync, watch } from 'node:fs'
import type { Server } from 'node:http'
import { basename, dirname } from 'node:path'
import type { ScopedLog } from '../services.ts'
import { listen, shut } from './listen.ts'

/** How often the socket is looked for when its folder tells nothing. */
const LOOK_MS = 5000

/** A unix socket that is made again when somebody removes it. */
export interface KeptSocket {
  close(): Promise<void>
}

/**
 * Serves on a unix socket that every process of the node may write to; its folder is for root.
 *
 * @throws what keeps the socket from being made at first: a folder that is not empty in its place, a read-only disk.
 */
export async function keepSocket(path: string, create: () => Server, log: ScopedLog): Promise<KeptSocket> {
  let server = await open(path, create, log)
  let identity = identityOf(path)
  let watcher: FSWatcher | undefined
  let working = Promise.resolve()
  let closed = false

  const look = (): void => {
    working = working.then(async () => {
      if (closed) return
      const now = identityOf(path)
      if (now !== identity) await reopen(now)
      arm()
    })
  }
  const reopen = async (now: string | undefined): Promise<void> => {
    try {
      log.warn(`${path} was ${now === undefined ? 'removed' : 'replaced'}: it is made again`)
      await shut(server)
      server = await open(path, create, log)
      identity = identityOf(path)
    } catch (error) {
      log.error(`cannot listen on ${path}: ${messageOf(error)}`)
    }
  }
  // The folder may be replaced as well: then the watch is on the old one until the clock's next look.
  const arm = (): void => {
    watcher?.close()
    watcher = undefined
    try {
      const made = watch(dirname(path), (_, name) => {
        if (name === basename(path) && identityOf(path) !== identity) look()
      })
      made.on('error', () => {})
      watcher = made
    } catch {
      // looked at by the clock
    }
  }
  arm()
  const timer = setInterval(() => {
    if (identityOf(path) !== identity) look()
  }, LOOK_MS)
  return {
    async close() {
      closed = true
      clearInterval(timer)
      watcher?.close()
      await working
      await shut(server)
      if (identityOf(path) === identity) remove(path)
    },
  }
}

async function open(path: string, create: () => Server, log: ScopedLog): Promise<Server> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
  } catch (error) {
    log.warn(`cannot make the folder of ${path}: ${messageOf(error)}`)
  }
  remove(path)
  const server = create()
  await listen(server, path)
  chmodSync(path, 0o666)
  return server
}

function remove(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path)
    else unlinkSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, mode } = lstatSync(path)
    return `${dev}:${ino}:${mode}`
  } catch {
    // gone
    return undefined
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
