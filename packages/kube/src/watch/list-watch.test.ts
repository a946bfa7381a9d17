import { expect, test } from 'vitest'
import type { KubeClient, KubeRequest } from '../client/client.ts'
import { KubeError } from '../kube-error.ts'
import { listWatch } from './list-watch.ts'
import type { Observer } from './list-watch-options.ts'

interface Watched {
  readonly urls: string[]
  readonly failures: KubeError[]
  readonly pauses: number[]
  readonly present: unknown[]
}

/**
 * Watches a server that answers lists with `page`, until `end` lists are requested or that many attempts have failed.
 */
async function watched(
  page: (asked: number, url: URL) => string,
  { lists = 5000, failures = 3 } = {},
): Promise<Watched> {
  const stop = new AbortController()
  const seen: Watched = { urls: [], failures: [], pauses: [], present: [] }
  const observer: Observer = {
    listing() {},
    present: (object) => seen.present.push(object),
    listed: () => stop.abort(),
    gone() {},
    failed(error) {
      seen.failures.push(error)
      if (seen.failures.length === failures) stop.abort()
    },
  }
  const client: KubeClient = {
    get: () => Promise.reject(new Error('not asked')),
    async send({ path, onData }: KubeRequest) {
      seen.urls.push(path)
      if (seen.urls.length === lists) stop.abort()
      onData?.(Buffer.from(page(seen.urls.length, new URL(path, 'https://server'))))
      return undefined
    },
  }
  const pause = async (ms: number) => void seen.pauses.push(ms)
  await listWatch({ connect: () => client, path: '/api/v1/pods', paged: false, observer, signal: stop.signal, pause })
  return seen
}

const listOf = (items: readonly unknown[], next?: string) =>
  JSON.stringify({ metadata: { resourceVersion: '7', ...(next === undefined ? {} : { continue: next }) }, items })

test('a list whose pages repeat a token stops at once, with growing pauses between attempts', async () => {
  const seen = await watched(() => listOf([], 'x'))
  expect(seen.urls).toHaveLength(6)
  expect(seen.failures[0]?.message).toBe('GET /api/v1/pods: two pages of the list have the same "continue"')
  expect(seen.pauses[1]).toBeGreaterThan(1400)
})

test('an endless list with changing tokens is requested slowly, then stops', async () => {
  const seen = await watched((asked) => listOf([], `token-${asked}`), { failures: 1 })
  expect(seen.urls).toHaveLength(1000)
  expect(seen.failures[0]?.message).toBe(
    'GET /api/v1/pods: the list has no end: gave up after 1000 pages with 0 objects',
  )
  expect(seen.pauses.filter((ms) => ms === 100)).toHaveLength(979)
})

test('a list with too many objects stops', async () => {
  const page = `{"items":[${'{},'.repeat(60_000)}{}],"metadata":{"resourceVersion":"7","continue":"`
  const seen = await watched((asked) => `${page}token-${asked}"}}`, { failures: 1 })
  expect(seen.failures[0]?.message).toContain('gave up after 4 pages with 240004 objects')
})

test('a page that is too large is requested again with fewer objects', async () => {
  const huge = `{"items":[${`"${'x'.repeat(1024 * 1024)}",`.repeat(65)}`
  const seen = await watched((_, url) => (url.searchParams.get('limit') === '31' ? listOf([{ a: 1 }]) : huge))
  expect(seen.urls.slice(0, 3)).toEqual([
    '/api/v1/pods?limit=500&resourceVersion=0',
    '/api/v1/pods?limit=125',
    '/api/v1/pods?limit=31',
  ])
  expect(seen.failures.map(({ message }) => message)).toEqual([
    'GET /api/v1/pods?limit=500&resourceVersion=0: the answer is larger than 67108864 bytes',
    'GET /api/v1/pods?limit=125: the answer is larger than 67108864 bytes',
  ])
  expect(seen.present.at(-1)).toEqual({ a: 1 })
})

test('an object that is too large is skipped, and the others are reported', async () => {
  const seen = await watched(() => listOf([{ a: 1 }, { a: 'x'.repeat(3 * 1024 * 1024) }, { a: 3 }]))
  expect([seen.present, seen.failures]).toEqual([[{ a: 1 }, undefined, { a: 3 }], []])
})

test('after an outage a list follows the shortest pause, and repeated 410 answers wait longer', async () => {
  const away = new KubeError('NETWORK', 'nobody listens there')
  const gone = JSON.stringify({ type: 'ERROR', object: { code: 410 } })
  const bookmark = JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } })
  const watches = [away, away, away, away, gone, gone, bookmark, gone]
  const stop = new AbortController()
  const pauses: number[] = []
  const nothing = (): void => {}
  const observer: Observer = {
    ...{ listing: nothing, present: nothing, listed: nothing, gone: nothing },
    failed: (_, ms) => {
      pauses.push(ms / 1000)
      if (watches.length === 0) stop.abort()
    },
  }
  const client: KubeClient = {
    get: () => Promise.reject(new Error('not asked')),
    async send({ path, onData }: KubeRequest) {
      const said = path.includes('watch=true') ? watches.shift() : listOf([])
      if (said instanceof KubeError) throw said
      onData?.(Buffer.from(`${said}\n`))
      return undefined
    },
  }
  const pause = async () => {}
  const tests = { pause, random: () => 0 }
  await listWatch({
    connect: () => client,
    path: '/api/v1/pods',
    paged: false,
    observer,
    signal: stop.signal,
    ...tests,
  })
  // In seconds: no server; 410 and 410; a bookmark, after which the watch ends at once; 410.
  expect(pauses).toEqual([1, 2, 4, 8, 1, 2, 1, 1])
})
