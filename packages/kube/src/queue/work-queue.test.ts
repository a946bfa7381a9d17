import { describe, expect, test } from 'vitest'
import { retryPause } from './retry-pause.ts'
import { workQueue } from './work-queue.ts'

const MAX_ATTEMPTS = 5

/** A queue whose timers and work the test controls. */
function controlled() {
  const stop = new AbortController()
  const waiting: { ms: number; then: () => void; cancelled: boolean }[] = []
  const log: string[] = []
  const open: { key: string; end: (error?: Error) => void }[] = []
  const queue = workQueue({
    work: (key) =>
      new Promise((resolve, reject) => {
        log.push(`work ${key}`)
        open.push({ key, end: (error) => (error === undefined ? resolve() : reject(error)) })
      }),
    failed: (key, _, again) => log.push(`${again ? 'again' : 'given up'} ${key}`),
    maxAttempts: MAX_ATTEMPTS,
    pause: retryPause(() => 0),
    signal: stop.signal,
    after(ms, then) {
      const timer = { ms, then, cancelled: false }
      waiting.push(timer)
      return () => {
        timer.cancelled = true
      }
    },
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    queue,
    log,
    waiting,
    stop: () => stop.abort(),
    async end(error?: Error) {
      await settle()
      open.shift()?.end(error)
      await settle()
    },
    async wake() {
      const timer = waiting.shift()
      if (timer?.cancelled === false) timer.then()
      await settle()
      return timer?.ms
    },
    settle,
  }
}

describe('a work queue', () => {
  test('processes one key at a time, and each key once however often it is added', async () => {
    const { queue, log, end, settle } = controlled()
    for (const key of ['a', 'b', 'a', 'b']) queue.add(key)
    await settle()
    expect(log).toEqual(['work a'])
    await end()
    expect(log).toEqual(['work a', 'work b'])
    await end()
    expect(log).toEqual(['work a', 'work b'])
  })

  test('processes a key again if it is added during its work', async () => {
    const { queue, log, end, settle } = controlled()
    queue.add('a')
    await settle()
    queue.add('a')
    queue.add('a')
    await end()
    await end()
    expect(log).toEqual(['work a', 'work a'])
  })

  test('makes five attempts with growing pauses, and all of them again if the key is added', async () => {
    const { queue, log, end, wake, waiting } = controlled()
    queue.add('a')
    const pauses: (number | undefined)[] = []
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await end(new Error('x'))
      pauses.push(await wake())
    }
    await end(new Error('x'))
    expect(pauses).toEqual([5, 10, 20, 40])
    expect(log.filter((line) => line === 'work a')).toHaveLength(5)
    expect(log.at(-1)).toBe('given up a')
    expect(waiting).toEqual([])
    queue.add('a')
    await end(new Error('x'))
    expect(log.at(-1)).toBe('again a')
  })

  test('ends the pause of a key that is added', async () => {
    const { queue, log, end, wake, settle } = controlled()
    queue.add('a')
    await end(new Error('x'))
    queue.add('a')
    await settle()
    expect(log).toEqual(['work a', 'again a', 'work a'])
    await end()
    await wake()
    expect(log).toHaveLength(3)
  })

  test('resets the attempts and pauses of a key that is added during its pause', async () => {
    const { queue, log, end, wake, waiting } = controlled()
    queue.add('a')
    for (let attempt = 1; attempt < 4; attempt += 1) {
      await end(new Error('x'))
      await wake()
    }
    await end(new Error('x'))
    queue.add('a')
    expect(waiting.splice(0).map(({ ms, cancelled }) => [ms, cancelled])).toEqual([[40, true]])
    const pauses: (number | undefined)[] = []
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await end(new Error('x'))
      expect(log.at(-1)).toBe('again a')
      pauses.push(await wake())
    }
    await end(new Error('x'))
    expect(pauses).toEqual([5, 10, 20, 40])
    expect(log.filter((line) => line === 'work a')).toHaveLength(9)
    expect(log.at(-1)).toBe('given up a')
  })

  test('resets the attempts of a key that is added during a failing attempt, and retries without a pause', async () => {
    const { queue, log, end, wake } = controlled()
    queue.add('a')
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await end(new Error('x'))
      await wake()
    }
    queue.add('a')
    await end(new Error('x'))
    expect(log.slice(-2)).toEqual(['again a', 'work a'])
    await end(new Error('x'))
    expect([log.at(-1), await wake()]).toEqual(['again a', 5])
  })

  test('processes a waiting key once however often it is added, also while it processes another', async () => {
    const { queue, log, end, wake, settle } = controlled()
    queue.add('a')
    queue.add('b')
    await end(new Error('x'))
    for (let time = 0; time < 3; time += 1) queue.add('a')
    await settle()
    expect(log).toEqual(['work a', 'again a', 'work b'])
    await end()
    await end()
    await wake()
    expect(log).toEqual(['work a', 'again a', 'work b', 'work a'])
  })

  test('processes other keys while one waits', async () => {
    const { queue, log, end, wake } = controlled()
    queue.add('a')
    queue.add('b')
    await end(new Error('x'))
    await end()
    await wake()
    expect(log).toEqual(['work a', 'again a', 'work b', 'work a'])
  })

  test('starts no work after the signal', async () => {
    const { queue, log, end, stop, waiting, settle } = controlled()
    queue.add('a')
    await end(new Error('x'))
    queue.add('b')
    queue.add('c')
    await settle()
    stop()
    await end(new Error('y'))
    queue.add('d')
    await queue.idle()
    expect(log).toEqual(['work a', 'again a', 'work b', 'given up b'])
    expect(waiting.every(({ cancelled }) => cancelled)).toBe(true)
  })
})
