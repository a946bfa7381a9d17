import type { FakeCall } from '@cni/invoke/testing'
import { CniError, toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { failing, failure, fakeWorlds, first, list, rt } from '../test/fake-world.ts'
import { RuntimeError } from './errors.ts'
import { addWithRetry, needsDel, retryDelay, withRetry } from './retry.ts'

const worlds = fakeWorlds()
const later = new RuntimeError('PLUGIN', 'failed', { cause: new CniError(11, 'later') })

/** A sleep function that returns at once and records the pauses. */
function clock() {
  const slept: number[] = []
  return { slept, random: () => 1, sleep: async (delay: number) => void slept.push(delay) }
}

/** An operation that fails several times, then succeeds. */
function flaky(times: number, error: Error = later) {
  let calls = 0
  const body = async () => {
    calls++
    if (calls <= times) throw error
    return 'done'
  }
  return { body, calls: () => calls }
}

describe('the retry policy', () => {
  test('retries code 11 with doubling pauses up to the maximum', () => {
    const policy = { attempts: 9, delay: 100, maxDelay: 1000 }
    expect([1, 2, 3, 4, 5, 8, 9].map((failures) => retryDelay(later, failures, policy))).toEqual([
      100,
      200,
      400,
      800,
      1000,
      1000,
      undefined,
    ])
  })

  test.each([0, 1, 3, 4, 5, 6, 7, 8, 50, 51, 100, 999])('does not retry code %i', (code) => {
    expect(retryDelay(new CniError(code, 'x'), 1)).toBeUndefined()
  })

  test('has five attempts by default, with pauses from 200 ms to 10 s', () => {
    expect([1, 2, 3, 4, 5].map((failures) => retryDelay(later, failures))).toEqual([200, 400, 800, 1600, undefined])
    expect([6, 7, 50].map((failures) => retryDelay(later, failures, { attempts: 99 }))).toEqual([6400, 10_000, 10_000])
  })

  test('limits a pause to the longest timer', () => {
    expect(retryDelay(later, 60, { attempts: 99, maxDelay: Number.POSITIVE_INFINITY })).toBe(2 ** 31 - 1)
  })

  test.each([
    [{ attempts: Number.NaN }, 'attempts: expected a number from 1 on, got NaN'],
    [{ attempts: 0 }, 'attempts: expected a number from 1 on, got 0'],
    [{ delay: Number.NaN }, 'delay: expected milliseconds from 0 on, got NaN'],
    [{ delay: -1 }, 'delay: expected milliseconds from 0 on, got -1'],
    [{ maxDelay: Number.NaN }, 'maxDelay: expected milliseconds from 0 on, got NaN'],
  ])('%j is rejected before the first attempt', async (policy, message) => {
    const { body, calls } = flaky(0)
    await expect(withRetry(body, policy)).rejects.toThrow(new TypeError(`withRetry: ${message}`))
    expect(calls()).toBe(0)
  })

  test('a failed ADD needs DEL, unless the first plugin does not know the container', () => {
    const unknown = new CniError(3, 'no such container')
    const at = (pluginIndex: number) => new RuntimeError('PLUGIN', 'x', { cause: unknown, pluginIndex })
    expect([later, new Error('x'), at(1)].map(needsDel)).toEqual([true, true, true])
    expect([unknown, at(0)].map(needsDel)).toEqual([false, false])
  })
})

describe('withRetry', () => {
  test('returns the result of the successful attempt', async () => {
    const { body, calls } = flaky(2)
    const { slept, ...options } = clock()
    expect(await withRetry(body, { ...options, delay: 100 })).toBe('done')
    expect([calls(), slept]).toEqual([3, [100, 200]])
  })

  test('throws the last error after all attempts', async () => {
    const { body, calls } = flaky(9)
    await expect(withRetry(body, { ...clock(), attempts: 3 })).rejects.toBe(later)
    expect(calls()).toBe(3)
  })

  test('spreads the pauses randomly over their upper half', async () => {
    const { slept, sleep } = clock()
    await withRetry(flaky(1).body, { sleep, random: () => 0, delay: 100 })
    expect(slept).toEqual([50])
  })

  test('throws the error at once if the caller aborts during a pause', async () => {
    const { body, calls } = flaky(9)
    const controller = new AbortController()
    const run = withRetry(body, { delay: 60_000, signal: controller.signal, onRetry: () => controller.abort() })
    await expect(run).rejects.toBe(later)
    expect(calls()).toBe(1)
  })
})

describe('addWithRetry', () => {
  test('undoes a failed attempt before it retries', async () => {
    let adds = 0
    const b = { ADD: () => (++adds < 3 ? failing(11, 'later')() : first) }
    const { runtime, log } = worlds.setUp({ a: { ADD: first }, b })
    const { document } = await addWithRetry(runtime, list('1.1.0', 'a', 'b'), rt, clock())
    expect(document).toEqual(first)
    const round = ['ADD a', 'ADD b', 'DEL b', 'DEL a']
    expect(log()).toEqual([...round, ...round, 'ADD a', 'ADD b'])
  })

  test('undoes a failure that is not retried, too', async () => {
    const { runtime, log } = worlds.setUp({ a: { ADD: failing(7, 'bad') } })
    const error = await failure(addWithRetry(runtime, list('1.1.0', 'a'), rt, clock()))
    expect(toErrorDocument(error).code).toBe(7)
    expect(log()).toEqual(['ADD a', 'DEL a'])
  })

  test('skips DEL only if the first plugin does not know the container', async () => {
    const gone = { ADD: failing(3, 'gone') }
    const one = worlds.setUp({ a: gone })
    await failure(addWithRetry(one.runtime, list('1.1.0', 'a'), rt, clock()))
    expect(one.log()).toEqual(['ADD a'])
    const two = worlds.setUp({ a: { ADD: first }, b: gone })
    await failure(addWithRetry(two.runtime, list('1.1.0', 'a', 'b'), rt, clock()))
    expect(two.log()).toEqual(['ADD a', 'ADD b', 'DEL b', 'DEL a'])
  })

  test('stops after a failed DEL and reports both errors', async () => {
    const { runtime, log } = worlds.setUp({ a: failing(11, 'later') })
    const error = await failure(addWithRetry(runtime, list('1.1.0', 'a'), rt, clock()))
    expect(error).toMatchObject({ code: 'UNDO', hint: 'run DEL again before the next ADD' })
    expect(error.message).toMatch(
      /failed \(add\): later; dd; and it could not be undone: .*failed \(delete\): later; dd/,
    )
    expect(log()).toEqual(['ADD a', 'DEL a'])
  })

  test('completes DEL after the caller has aborted, and reports the error of ADD', async () => {
    const controller = new AbortController()
    const ended: unknown[] = []
    const a = {
      ADD() {
        controller.abort()
        return new Promise(() => undefined)
      },
      DEL: ({ signal }: FakeCall) => void ended.push(signal?.aborted ?? false),
    }
    const { runtime, log } = worlds.setUp({ a })
    const error = await failure(addWithRetry(runtime, list('1.1.0', 'a'), rt, { signal: controller.signal }))
    expect(log()).toEqual(['ADD a', 'DEL a'])
    expect(ended).toEqual([false])
    expect(error).toMatchObject({ code: 'PLUGIN', message: expect.stringContaining('failed (add)') })
  })
})
