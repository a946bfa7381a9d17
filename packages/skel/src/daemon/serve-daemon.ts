import { createServer, type Server } from 'node:http'
import { CniError, ErrorCode } from '@cni/types'
import { settlesWithin } from '../call/deadline.ts'
import { checkMilliseconds, checkPositive } from '../checks.ts'
import { plainPlugin } from '../definition/plain-plugin.ts'
import type { Plugin } from '../definition/plugin.ts'
import { writeAll } from '../main/write-all.ts'
import type { Daemon, DaemonOptions } from './daemon.ts'
import { answerTo, type Service } from './routes.ts'
import { claimSocket } from './socket-file.ts'

const GRACE = 10_000
const MAX_BODY = 4 * 1024 * 1024
/** Maximum milliseconds for undoing aborted CNI calls, including the end of their handlers. */
const UNDO_BUDGET = 5000

/**
 * Serves a plugin over HTTP on a unix socket. Paths: `POST /cni` for the {@link shim}, `/healthz` and `/readyz` for
 * probes. Runs many CNI calls at once, each with `runPlugin`.
 *
 * @throws {@link DaemonError} if the socket cannot be created. Throws TypeError for an invalid time or size.
 * @example
 * ```ts
 * const daemon = await serveDaemon(plugin, { socket: '/run/greet/greet.sock', ready: false })
 * await loadState()
 * daemon.setReady(true)
 * process.once('SIGTERM', () => void daemon.stop())
 * ```
 */
export async function serveDaemon(plugin: Plugin, options: DaemonOptions): Promise<Daemon> {
  const { socket, ready = true, grace = GRACE, timeout, env = {}, netns, maxBody = MAX_BODY, signal } = options
  if (timeout !== undefined) checkMilliseconds('serveDaemon: timeout', timeout)
  checkMilliseconds('serveDaemon: grace', grace, 0)
  checkPositive('serveDaemon: maxBody', maxBody, 'a number of bytes')
  const socketFile = await claimSocket(socket)
  const inFlight = new Set<Promise<void>>()
  const running = new Set<AbortController>()
  let halted: CniError | undefined
  let isReady = ready
  let stopped: Promise<void> | undefined

  const service: Service = {
    plugin: timeout === undefined ? plugin : { ...plainPlugin(plugin), timeout },
    isReady: () => isReady && stopped === undefined,
    env,
    maxBody,
    running,
    halted: () => halted,
    stderr: options.stderr ?? ((line) => void writeAll(2, line)),
    ...(netns === undefined ? {} : { netns }),
    ...(options.stateFolder === undefined ? {} : { stateFolder: options.stateFolder.bind(options) }),
  }
  const server = createServer((request, response) => {
    const work = answerTo(request, response, service).finally(() => inFlight.delete(work))
    inFlight.add(work)
  })
  await listen(server, socketFile.hidden)
  try {
    socketFile.publish()
  } catch (error) {
    await close(server)
    throw error
  }

  const shutDown = async (): Promise<void> => {
    await settlesWithin(drained(inFlight), grace)
    halted = new CniError(ErrorCode.tryAgainLater, 'the daemon is stopping')
    for (const call of running) call.abort(halted)
    socketFile.remove()
    await settlesWithin(drained(inFlight), UNDO_BUDGET)
    await close(server)
  }
  const stop = (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort)
    stopped ??= shutDown()
    return stopped
  }
  const onAbort = (): void => void stop()
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  return {
    socket,
    get isReady() {
      return service.isReady()
    },
    get calls() {
      return inFlight.size
    },
    setReady(now) {
      isReady = now
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function drained(inFlight: ReadonlySet<Promise<void>>): Promise<void> {
  while (inFlight.size > 0) await Promise.allSettled(inFlight)
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    // Closes connections of clients that have sent no request, because such connections would keep the server open.
    server.closeAllConnections()
  })
}
