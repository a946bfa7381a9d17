import { expect, test } from 'vitest'
import { podQueue } from './pod-queue.ts'

/** Work that ends when `open` is called. */
function gate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

interface Overrides {
  readonly reconcile?: (uid: string) => Promise<void>
  readonly concurrency?: number
  readonly pause?: () => number
}

function started({ reconcile = async () => {}, ...more }: Overrides = {}) {
  const stop = new AbortController()
  const failures: string[] = []
  const failed = (uid: string, error: unknown): void => void failures.push(`${uid}: ${error}`)
  return { queue: podQueue({ reconcile, failed, signal: stop.signal, ...more }), stop, failures }
}

test('work on one pod runs in sequence, for all callers', async () => {
  const log: string[] = []
  const first = gate()
  const { queue } = started({ reconcile: async (uid) => void log.push(`look ${uid}`) })
  const event = queue.run('a', async () => {
    log.push('event begins')
    await first.opened
    log.push('event ends')
  })
  queue.enqueue('a')
  const second = queue.run('a', async () => void log.push('second event'))
  await turn()
  expect(log).toEqual(['event begins'])
  first.open()
  await Promise.all([event, second, queue.idle()])
  expect(log).toEqual(['event begins', 'event ends', 'look a', 'second event'])
})

test('ten pods are processed concurrently', async () => {
  const all = gate()
  let inside = 0
  const { queue } = started()
  const events = Array.from({ length: 10 }, (_, at) =>
    queue.run(`pod-${at}`, async () => {
      inside += 1
      await all.opened
    }),
  )
  await turn()
  expect(inside).toBe(10)
  all.open()
  await Promise.all(events)
})

test('repeated requests before a look cause one look, and requests during a look cause another one', async () => {
  const first = gate()
  const seen: string[] = []
  const { queue } = started({
    async reconcile(uid) {
      seen.push(uid)
      if (seen.length === 1) await first.opened
    },
    concurrency: 1,
  })
  for (const uid of ['a', 'a', 'b', 'b']) queue.enqueue(uid)
  await turn()
  for (const uid of ['a', 'a', 'a']) queue.enqueue(uid)
  first.open()
  await queue.idle()
  expect(seen).toEqual(['a', 'b', 'a'])
})

test('a pod with constant requests does not delay other pods', async () => {
  const held = gate()
  const seen: string[] = []
  const { queue } = started({
    async reconcile(uid) {
      seen.push(uid)
      if (uid === 'hot') await held.opened
    },
    concurrency: 2,
  })
  queue.enqueue('hot')
  await turn()
  for (let count = 0; count < 20; count++) queue.enqueue('hot')
  queue.enqueue('calm')
  await turn()
  expect(seen).toEqual(['hot', 'calm'])
  held.open()
  await queue.idle()
  expect(seen).toEqual(['hot', 'calm', 'hot'])
})

test('a failed look is repeated after growing pauses until it succeeds', async () => {
  const pauses: number[] = []
  let attempts = 0
  const done = gate()
  const queue = podQueue({
    async reconcile() {
      attempts += 1
      if (attempts < 4) throw new Error('not yet')
      done.open()
    },
    failed: (_, __, pauseMs) => void pauses.push(pauseMs),
    pause: (failures) => failures,
    signal: new AbortController().signal,
  })
  queue.enqueue('a')
  await done.opened
  await queue.idle()
  expect([attempts, pauses]).toEqual([4, [1, 2, 3]])
})

test('a request during such a pause repeats the look at once', async () => {
  let attempts = 0
  const { queue, failures } = started({
    async reconcile() {
      attempts += 1
      if (attempts === 1) throw new Error('no')
    },
    pause: () => 1_000_000,
  })
  queue.enqueue('a')
  await queue.idle()
  queue.enqueue('a')
  await queue.idle()
  expect([attempts, failures]).toEqual([2, ['a: Error: no']])
})

test('an error of `run` rejects its caller only, and the queue continues', async () => {
  const { queue, failures } = started()
  const refused = queue.run('a', () => Promise.reject(new Error('no ztunnel')))
  const next = queue.run('a', async () => 'enrolled')
  await expect(refused).rejects.toThrow('no ztunnel')
  expect(await next).toBe('enrolled')
  expect(failures).toEqual([])
})

test('nothing starts after the signal aborts', async () => {
  const seen: string[] = []
  const { queue, stop } = started({ reconcile: async (uid) => void seen.push(uid) })
  queue.enqueue('a')
  stop.abort(new Error('the agent stops'))
  queue.enqueue('b')
  await expect(queue.run('c', async () => {})).rejects.toThrow('the agent stops')
  await queue.idle()
  expect(seen).toEqual([])
})
