import { runTicks } from './ticks.ts'

/** Queue of due callbacks. Promise jobs run between two callbacks. */
const ready: (() => void)[] = []

export const isIdle = (): boolean => ready.length === 0

export function enqueue(callback: () => void): void {
  ready.push(callback)
}

/** Runs the first callback of the event loop's queue, then all waiting `process.nextTick` callbacks. */
export function runNext(): void {
  const callback = ready.shift()
  callback?.()
  runTicks()
}
