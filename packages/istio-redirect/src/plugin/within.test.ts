import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { within } from './within.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

test('what ends in time ends as it does, and leaves no timer', async () => {
  expect(await within(1000, never, async () => 7)).toBe(7)
  await expect(within(1000, never, () => Promise.reject(new Error('broken')))).rejects.toThrow(/^broken$/)
  expect(vi.getTimerCount()).toBe(0)
})

test('what listens is told at the deadline, and its error says that it was the deadline', async () => {
  const outcome = expect(within(1000, never, aborted)).rejects.toThrow('stopped: 1 s are over')
  await vi.advanceTimersByTimeAsync(1000)
  await outcome
})

test('what does not listen is waited for a little longer, and no more', async () => {
  const outcome = expect(within(1000, never, () => new Promise(() => {}))).rejects.toThrow(
    /does not end: 1 s are over$/,
  )
  await vi.advanceTimersByTimeAsync(3750)
  await outcome
})

test('who calls may end it as well', async () => {
  const caller = new AbortController()
  const outcome = expect(within(1000, caller.signal, aborted)).rejects.toThrow(/^stopped$/)
  caller.abort()
  await outcome
})
