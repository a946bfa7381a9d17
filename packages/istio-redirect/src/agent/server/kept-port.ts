import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@cni/types'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../part/services.ts'
import { listen, shut } from './listen.ts'

/** How long to wait before a busy port is tried again. */
const RETRY_MS = 1000

/** What {@link keepPort} serves, and where it reports that it cannot. */
export interface PortOptions {
  /** What the server offers, for the log: `metrics`. */
  readonly what: string
  readonly create: () => Server
  readonly log: ScopedLog
  /** Called after each attempt to listen that failed. */
  readonly failed: () => void
}

/**
 * Makes a server listen on a port. If the port is busy, it is tried again every second until it is free. Resolves after
 * the first attempt, whatever came of it, with a function that closes the server or gives up.
 */
export async function keepPort(port: number, { what, create, log, failed }: PortOptions): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const portLog = calmLog(log, `${what} on port ${port}`, { level: 'error' })
  let listening: Server | undefined
  const attempt = async (): Promise<void> => {
    const server = create()
    try {
      await listen(server, port)
      listening = server
      portLog.worked()
    } catch (error) {
      failed()
      portLog.failed(`no ${what}: cannot listen on port ${port}: ${messageOf(error)}`)
    }
  }
  await attempt()
  const retries = (async () => {
    while (listening === undefined && !stop.signal.aborted) {
      // It rejects when the wait is cut short: the condition of the loop sees to that.
      await sleep(RETRY_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (!stop.signal.aborted) await attempt()
    }
  })()
  return async () => {
    stop.abort()
    await retries
    if (listening !== undefined) await shut(listening)
  }
}
