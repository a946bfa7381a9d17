import { afterEach, expect, test } from 'vitest'
import { stopOnSignals } from './stop-on-signals.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const before = new Map(signals.map((name) => [name, process.listeners(name)]))

afterEach(() => {
  process.exitCode = undefined
  for (const name of signals) {
    for (const added of process.listeners(name)) if (!before.get(name)?.includes(added)) process.off(name, added)
  }
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s aborts with the reason and sets exit code %i', (name, status) => {
  const signal = stopOnSignals((received) => new Error(`it received ${received}`))
  expect(signal.aborted).toBe(false)
  process.emit(name)
  expect(signal.reason).toEqual(new Error(`it received ${name}`))
  expect(process.exitCode).toBe(status)
})

test('a second signal finds no handler and ends the process as usual', () => {
  const count = process.listenerCount('SIGTERM')
  stopOnSignals((name) => new Error(name))
  expect(process.listenerCount('SIGTERM')).toBe(count + 1)
  process.emit('SIGTERM')
  expect(process.listenerCount('SIGTERM')).toBe(count)
})
