/** Computes the pause in milliseconds before the next retry of a work queue's key. */
export type RetryPause = (failures: number) => number

/**
 * Pauses of a work queue, as in Kubernetes' own controllers. The first retry of a key waits 5 ms; the pause doubles up
 * to 1000 s. All keys together get 10 retries a second, with bursts of 100.
 */
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
