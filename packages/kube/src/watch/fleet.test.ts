import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { KubeClient, KubeRequest } from '../client/client.ts'
import { KubeError } from '../kube-error.ts'
import { listWatch } from './list-watch.ts'

const CLIENTS = 200
const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** API server for many clients. It counts requests, and can be unavailable. */
function fleetServer() {
  const watches = new Set<() => void>()
  const requests: number[] = []
  let isAway = false
  const watch = ({ path }: KubeRequest, signal: AbortSignal): Promise<undefined> =>
    new Promise((resolve) => {
      const seconds = Number(new URL(path, 'https://server').searchParams.get('timeoutSeconds'))
      const end = (): void => {
        watches.delete(end)
        clearTimeout(over)
        resolve(undefined)
      }
      const over = setTimeout(end, seconds * 1000)
      signal.addEventListener('abort', end, { once: true })
      watches.add(end)
    })
  const client: KubeClient = {
    get: () => Promise.reject(new Error('not asked')),
    async send(request, { signal }) {
      if (isAway) throw new KubeError('NETWORK', 'connection refused')
      requests.push(performance.now())
      if (request.path.includes('watch=true')) return await watch(request, signal)
      request.onData?.(Buffer.from('{"metadata":{"resourceVersion":"7"},"items":[]}'))
      return undefined
    },
  }
  return {
    client,
    /** Number of requests between two times in milliseconds. */
    count: (from: number, to: number) => requests.filter((at) => at >= from && at < to).length,
    stop() {
      isAway = true
      for (const end of [...watches]) end()
    },
    start() {
      isAway = false
    },
  }
}

/** Starts one watch for each client within a minute. */
async function fleet() {
  const server = fleetServer()
  const stop = new AbortController()
  const { signal } = stop
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const observer = { listing() {}, present() {}, listed() {}, gone() {}, failed() {} }
  const connect = (): KubeClient => server.client
  let state = 1
  const random = (): number => {
    state = (state * 48_271) % 0x7fff_ffff
    return state / 0x7fff_ffff
  }
  const all = Array.from({ length: CLIENTS }, async (_, index) => {
    await pause((index * MINUTE) / CLIENTS)
    await listWatch({ connect, path: '/api/v1/pods', paged: false, observer, signal, pause, random })
  })
  await vi.advanceTimersByTimeAsync(20 * MINUTE)
  return {
    server,
    async end() {
      stop.abort()
      await vi.advanceTimersByTimeAsync(2 * MINUTE)
      await Promise.all(all)
    },
  }
}

test('an idle watch makes at most 0.2 requests a minute', async () => {
  const { server, end } = await fleet()
  const from = performance.now()
  await vi.advanceTimersByTimeAsync(60 * MINUTE)
  expect(server.count(from, performance.now()) / CLIENTS / 60).toBeLessThanOrEqual(0.2)
  await end()
})

test.each([
  ['at once', 0],
  ['after ten seconds', 10_000],
  ['after ten minutes', 10 * MINUTE],
])('a server that returns %s gets at most twice the idle requests of five minutes, and no burst', async (_, ms) => {
  const { server, end } = await fleet()
  const rest = server.count(performance.now() - 15 * MINUTE, performance.now()) / 3
  server.stop()
  await vi.advanceTimersByTimeAsync(ms)
  server.start()
  const back = performance.now()
  await vi.advanceTimersByTimeAsync(5 * MINUTE)
  expect(server.count(back, back + 5 * MINUTE)).toBeLessThanOrEqual(2 * rest)
  const tenths = Array.from({ length: 100 }, (_, index) => server.count(back + index * 100, back + (index + 1) * 100))
  expect(Math.max(...tenths)).toBeLessThanOrEqual(CLIENTS * 0.2)
  await end()
})
