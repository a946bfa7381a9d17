import { defineGlobal } from '../define.ts'
import { invalidType } from '../errors.ts'
import { Immediate } from '../loop/immediates.ts'
import { nextTick } from '../loop/ticks.ts'
import { Timeout } from '../loop/timers.ts'

type Callback = (...args: unknown[]) => void

function checked(callback: unknown): asserts callback is Callback {
  if (typeof callback !== 'function') throw invalidType('callback', 'of type function', callback)
}

export function setTimeout(callback: Callback, delay?: number, ...args: unknown[]): Timeout {
  checked(callback)
  return new Timeout(args.length === 0 ? callback : () => callback(...args), Number(delay), false)
}

export function setInterval(callback: Callback, delay?: number, ...args: unknown[]): Timeout {
  checked(callback)
  return new Timeout(args.length === 0 ? callback : () => callback(...args), Number(delay), true)
}

export function setImmediate(callback: Callback, ...args: unknown[]): Immediate {
  checked(callback)
  return new Immediate(args.length === 0 ? callback : () => callback(...args))
}

export function clearTimeout(timer?: Timeout | Immediate | number | string | null): void {
  const found = typeof timer === 'number' || typeof timer === 'string' ? Timeout.find(Number(timer)) : timer
  if (found instanceof Timeout) found.close()
}

/** @alias */
export const clearInterval = clearTimeout

export function clearImmediate(immediate?: Immediate | null): void {
  if (immediate instanceof Immediate) immediate.clear()
}

export function queueMicrotask(callback: () => void): void {
  checked(callback)
  Promise.resolve().then(callback).catch(throwLater)
}

/** Rethrows an error of a `queueMicrotask` callback as an uncaught exception, not as an unhandled rejection. */
function throwLater(error: unknown): void {
  nextTick(() => {
    throw error
  })
}

for (const [name, value] of Object.entries({
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  queueMicrotask,
})) {
  defineGlobal(name, value)
}
