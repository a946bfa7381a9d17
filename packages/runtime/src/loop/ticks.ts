let ticks: (() => void)[] = []

/** `process.nextTick`: runs a callback before promise jobs and before the next loop step. */
export function nextTick(callback: () => void): void {
  ticks.push(callback)
}

/** Runs all tick callbacks, including callbacks that they add. Returns true if it ran any. */
export function runTicks(): boolean {
  if (ticks.length === 0) return false
  while (ticks.length > 0) {
    const [first, ...rest] = ticks
    // Keeps the remaining tick callbacks for the next step, because a callback may throw.
    ticks = rest
    first?.()
  }
  return true
}
