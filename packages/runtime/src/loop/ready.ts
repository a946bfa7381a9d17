import { runTicks } from './ticks.ts'

/** Callbacks that are due, in order. One runs at each step of the loop, so that promise jobs run in between. */
const ready: (() => void)[] = []

export const isIdle = (): boolean => ready.length === 0

export function enqueue(callback: () => void): void {
  ready.push(callback)
}

/** Runs the first callback that is due, then the ticks that it asked for. */
export function runNext(): void {
  const callback = ready.shift()
  callback?.()
  runTicks()
}
