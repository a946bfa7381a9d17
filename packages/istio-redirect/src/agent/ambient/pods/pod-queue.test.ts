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

interface Around {
  readonly look?: (uid: string) => Promise<void>
  readonly lookers?: number
  readonly pause?: () => number
}

function started({ look = async () => {}, ...more }: Around = {}) {
  const stop = new AbortController()
  const failures: string[] = []
  const failed = (uid: string, error: unknown): void => void failures.push(`${uid}: ${error}`)
  return { queue: podQueue({ look, failed, signal: stop.signal, ...more }), stop, failures }
}

test('work on one pod runs in sequence, for all callers', async () => {
  const log: string[] = []
  const first = gate()
  const { queue } = started({ look: async (uid) => void log.push(`look ${uid}`) })
  const event = queue.run('a', async () => {
    log.push('event begins')
    await first.opened
    log.push('event ends')
  })
  queue.look('a')
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
    async look(uid) {
      seen.push(uid)
      if (seen.length === 1) await first.opened
    },
    lookers: 1,
  })
  for (const uid of ['a', 'a', 'b', 'b']) queue.look(uid)
  await turn()
  for (const uid of ['a', 'a', 'a']) queue.look(uid)
  first.open()
  await queue.idle()
  expect(seen).toEqual(['a', 'b', 'a'])
})

test('a pod with constant requests does not delay other pods', async () => {
  const held = gate()
  const seen: string[] = []
  const { queue } = started({
    async look(uid) {
      seen.push(uid)
      if (uid === 'hot') await held.opened
    },
    lookers: 2,
  })
  queue.look('hot')
  await turn()
  for (let count = 0; count < 20; count++) queue.look('hot')
  queue.look('calm')
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
    async look() {
      attempts += 1
      if (attempts < 4) throw new Error('not yet')
      done.open()
    },
    failed: (_, __, pauseMs) => void pauses.push(pauseMs),
    pause: (failures) => failures,
    signal: new AbortController().signal,
  })
  queue.look('a')
  await done.opened
  await queue.idle()
  expect([attempts, pauses]).toEqual([4, [1, 2, 3]])
})

test('a request during such a pause repeats the look at once', async () => {
  let attempts = 0
  const { queue, failures } = started({
    async look() {
      attempts += 1
      if (attempts === 1) throw new Error('no')
    },
    pause: () => 1_000_000,
  })
  queue.look('a')
  await queue.idle()
  queue.look('a')
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
  const { queue, stop } = started({ look: async (uid) => void seen.push(uid) })
  queue.look('a')
  stop.abort(new Error('the agent stops'))
  queue.look('b')
  await expect(queue.run('c', async () => {})).rejects.toThrow('the agent stops')
  await queue.idle()
  expect(seen).toEqual([])
})
