import { runTicks } from './ticks.ts'

/**
 * Queue of callbacks that are due to run. Each step of the event loop runs one callback, so that promise jobs run in
 * between.
 */
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
