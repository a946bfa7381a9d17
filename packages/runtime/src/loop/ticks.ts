let ticks: (() => void)[] = []

/** `process.nextTick`: runs a callback before promise jobs and before the next loop step. */
export function nextTick(callback: () => void): void {
  ticks.push(callback)
}

/** Runs all ticks, including ticks that ticks add. Returns true if it ran any. */
export function runTicks(): boolean {
  if (ticks.length === 0) return false
  while (ticks.length > 0) {
    const [first, ...rest] = ticks
    // A tick may throw: keep the remaining ticks for the next step.
    ticks = rest
    first?.()
  }
  return true
}
