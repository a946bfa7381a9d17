import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@cni/types'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../services.ts'
import { listen, shut } from './listen.ts'

/** How soon a busy port is tried again. */
const AGAIN_MS = 1000

/** What is served on a port, and where is told what becomes of it. */
export interface PortOptions {
  /** What nobody gets while the port is busy. */
  readonly what: string
  readonly create: () => Server
  readonly log: ScopedLog
  /** Once for each attempt. */
  readonly failed: () => void
}

/** Serves on a port as soon as it is free. Returns how to end it. */
export async function keepPort(port: number, { what, create, log, failed }: PortOptions): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const calm = calmLog(log, `${what} on port ${port}`, { level: 'error' })
  let server: Server | undefined
  const attempt = async (): Promise<void> => {
    const made = create()
    try {
      await listen(made, port)
      server = made
      calm.worked()
    } catch (error) {
      failed()
      calm.failed(`no ${what}: cannot listen on port ${port}: ${messageOf(error)}`)
    }
  }
  await attempt()
  const trying = (async () => {
    while (server === undefined && !stop.signal.aborted) {
      // ends with the agent
      await sleep(AGAIN_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (!stop.signal.aborted) await attempt()
    }
  })()
  return async () => {
    stop.abort()
    await trying
    if (server !== undefined) await shut(server)
  }
}
