import { expect, test } from 'vitest'
import type { KubeClient, KubeRequest } from '../client/client.ts'
import { KubeError } from '../kube-error.ts'
import { listWatch } from './list-watch.ts'

/** Lists and watches a server that answers each request with the next status; returns what it was asked for. */
async function asked(...statuses: readonly number[]): Promise<string[]> {
  const stop = new AbortController()
  const urls: string[] = []
  const client: KubeClient = {
    get: () => Promise.reject(new Error('not asked')),
    async send({ path, onData }: KubeRequest) {
      const status = statuses[urls.length]
      urls.push(path.includes('watch=true') ? 'watch' : path.replace('/api/v1/pods', 'list'))
      if (urls.length === statuses.length) stop.abort()
      if (status === EXPIRED) return void onData?.(Buffer.from('{"type":"ERROR","object":{"code":410}}\n'))
      if (status !== 200) throw new KubeError('STATUS', `status ${status}`, { status: status ?? 500 })
      onData?.(Buffer.from('{"metadata":{"resourceVersion":"7"},"items":[]}'))
      return undefined
    },
  }
  await listWatch({
    connect: () => client,
    path: '/api/v1/pods',
    paged: false,
    observer: { listing() {}, present() {}, listed() {}, gone() {}, failed() {} },
    signal: stop.signal,
    pause: async () => {},
  })
  return urls
}

/** Answers a watch with 200, and then with an event that says 410, as kube-apiserver does after its restart. */
const EXPIRED = -410

const FIRST = 'list?limit=500&resourceVersion=0'

test.each([410, EXPIRED])('after 410 a list is read from the cache, not older than the last version', async (gone) => {
  expect(await asked(200, gone, 200, gone)).toEqual([FIRST, 'watch', 'list?resourceVersion=7', 'watch'])
})

test.each([410, 504])('a list that the cache refuses with %i is read from etcd', async (status) => {
  expect(await asked(200, 410, status, 200, 410)).toEqual([
    ...[FIRST, 'watch', 'list?resourceVersion=7'],
    ...['list?limit=500', 'watch'],
  ])
})

test.each([429, 500])('a list that fails with %i is asked from the cache again', async (status) => {
  expect(await asked(status, 200, 410, status, 200, 410)).toEqual([
    ...[FIRST, FIRST, 'watch'],
    ...['list?resourceVersion=7', 'list?resourceVersion=7', 'watch'],
  ])
})
