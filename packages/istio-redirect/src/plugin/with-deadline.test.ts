import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from './with-deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

test('work that ends in time settles with its own result, and leaves no timer', async () => {
  expect(await withDeadline(1000, never, async () => 7)).toBe(7)
  await expect(withDeadline(1000, never, () => Promise.reject(new Error('broken')))).rejects.toThrow(/^broken$/)
  expect(vi.getTimerCount()).toBe(0)
})

test('work that observes its signal is aborted at the deadline, and its error names the deadline', async () => {
  const outcome = expect(withDeadline(1000, never, aborted)).rejects.toThrow('stopped: the deadline of 1 s has passed')
  await vi.advanceTimersByTimeAsync(1000)
  await outcome
})

test('work that ignores its signal is abandoned a moment after the deadline', async () => {
  const outcome = expect(withDeadline(1000, never, () => new Promise(() => {}))).rejects.toThrow(
    /does not end: the deadline of 1 s has passed$/,
  )
  await vi.advanceTimersByTimeAsync(3750)
  await outcome
})

test('the caller can abort the work', async () => {
  const caller = new AbortController()
  const outcome = expect(withDeadline(1000, caller.signal, aborted)).rejects.toThrow(/^stopped$/)
  caller.abort()
  await outcome
})
