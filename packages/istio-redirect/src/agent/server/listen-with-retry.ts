import type { Server } from 'node:http'
import { messageOf } from '@cni/types'
import { pause } from '../../pause.ts'
import { throttledLog } from '../log/throttled-log.ts'
import type { ScopedLog } from '../shared/deps.ts'
import { listen, shut } from './listen.ts'

/** Pause before a retry on a busy port, in milliseconds. */
const RETRY_MS = 1000

/** Options of {@link listenWithRetry}. */
export interface PortOptions {
  /** Name of the service for the log, such as `metrics`. */
  readonly what: string
  readonly create: () => Server
  readonly log: ScopedLog
  /** Called after each failed attempt to listen. */
  readonly failed: () => void
}

/** Makes a server listen on a port. Resolves after the first attempt, successful or not. */
export async function listenWithRetry(
  port: number,
  { what, create, log, failed }: PortOptions,
): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const portLog = throttledLog(log, `${what}: listening on port ${port}`, { level: 'error' })
  let listening: Server | undefined
  const attempt = async (): Promise<void> => {
    const server = create()
    try {
      await listen(server, port)
      listening = server
      portLog.worked()
    } catch (error) {
      failed()
      portLog.failed(`${what}: cannot listen on port ${port}: ${messageOf(error)}`)
    }
  }
  await attempt()
  const retries = (async () => {
    while (listening === undefined && !stop.signal.aborted) {
      if (await pause(RETRY_MS, stop.signal)) await attempt()
    }
  })()
  return async () => {
    stop.abort()
    await retries
    if (listening !== undefined) await shut(listening)
  }
}
