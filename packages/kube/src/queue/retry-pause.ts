/** Computes the pause in milliseconds before a work queue retries a failed key. */
export type RetryPause = (failures: number) => number

/** Creates the function for a work queue's pauses, as in Kubernetes' own controllers. */
export function retryPause(now: () => number = () => performance.now()): RetryPause {
  let tokens = BURST
  let last = now()
  return (failures) => {
    const at = now()
    tokens = Math.min(BURST, tokens + ((at - last) / 1000) * PER_SECOND) - 1
    last = at
    const own = Math.min(5 * 2 ** (failures - 1), 1_000_000)
    return Math.max(own, tokens >= 0 ? 0 : (-tokens / PER_SECOND) * 1000)
  }
}

const BURST = 100
const PER_SECOND = 10
