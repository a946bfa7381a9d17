let ticks: (() => void)[] = []

/** Implements `process.nextTick`: the callback runs before promise jobs and before the next step of the event loop. */
export function nextTick(callback: () => void): void {
  ticks.push(callback)
}

/**
 * Runs all callbacks of `process.nextTick`, including callbacks that they add. Returns true if at least one callback
 * ran.
 */
export function runTicks(): boolean {
  if (ticks.length === 0) return false
  while (ticks.length > 0) {
    const [first, ...rest] = ticks
    // Removes a `nextTick` callback first, because a callback that throws must not run twice.
    ticks = rest
    first?.()
  }
  return true
}
