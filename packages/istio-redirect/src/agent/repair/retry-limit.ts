/** Says how long the next retry of a key has to wait. */
export type RetryLimit = (failures: number) => number

/**
 * The limits of Kubernetes' own controllers: 5 ms for the first retry of a key, doubled up to 1000 s, and for all
 * together 10 a second with bursts of 100.
 */
export function retryLimit(now: () => number = () => performance.now()): RetryLimit {
  let tokens = burst
  let last = now()
  return (failures) => {
    const at = now()
    tokens = Math.min(burst, tokens + ((at - last) / 1000) * perSecond) - 1
    last = at
    const own = Math.min(5 * 2 ** (failures - 1), 1_000_000)
    return Math.max(own, tokens >= 0 ? 0 : (-tokens / perSecond) * 1000)
  }
}

const burst = 100
const perSecond = 10
