let ticks: (() => void)[] = []

/** Runs a callback before promise jobs and before the loop goes on, as `process.nextTick` does. */
export function nextTick(callback: () => void): void {
  ticks.push(callback)
}

/** Runs all ticks, also those that ticks add. Returns false if there were none. */
export function runTicks(): boolean {
  if (ticks.length === 0) return false
  while (ticks.length > 0) {
    const [first, ...rest] = ticks
    // A tick may throw: the rest stays for the next step.
    ticks = rest
    first?.()
  }
  return true
}
