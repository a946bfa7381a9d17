import type { KubeError } from '../kube-error.ts'

const FIRST_MS = 1000
const LONGEST_MS = 30_000
const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * Milliseconds before the next request: 1 s, doubled with each failure up to 30 s. Waits at least as long as the
 * server's `Retry-After`, up to a minute.
 * Adds a random part of the same length at most, by `spread` (0 to 1), as client-go does. It spreads the requests of
 * all nodes.
 */
export function backoffMs({ retryAfterMs = 0 }: Pick<KubeError, 'retryAfterMs'>, failures: number, spread: number) {
  const growing = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return Math.round(Math.max(growing, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)) + growing * spread)
}
