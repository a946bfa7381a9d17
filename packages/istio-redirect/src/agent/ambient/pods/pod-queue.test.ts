import { expect, test } from 'vitest'
import { podQueue } from './pod-queue.ts'

/** Work that ends when it is told to. */
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

test('of one pod one piece of work runs at a time, whoever asked for it', async () => {
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

test('ten pods are worked on at the same time', async () => {
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

test('however often a look is asked for before it begins, there is one; what is asked for meanwhile comes after it', async () => {
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

test('a pod that is asked for again and again keeps no other pod waiting', async () => {
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

test('a look that fails is repeated after pauses that grow, until one works', async () => {
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

test('whoever asks during such a pause has it repeated at once', async () => {
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

test('what an event throws is for whoever sent it, and keeps nothing from its turn', async () => {
  const { queue, failures } = started()
  const refused = queue.run('a', () => Promise.reject(new Error('no ztunnel')))
  const next = queue.run('a', async () => 'enrolled')
  await expect(refused).rejects.toThrow('no ztunnel')
  expect(await next).toBe('enrolled')
  expect(failures).toEqual([])
})

test('after the signal nothing is begun', async () => {
  const seen: string[] = []
  const { queue, stop } = started({ look: async (uid) => void seen.push(uid) })
  queue.look('a')
  stop.abort(new Error('the agent ends'))
  queue.look('b')
  await expect(queue.run('c', async () => {})).rejects.toThrow('the agent ends')
  await queue.idle()
  expect(seen).toEqual([])
})
