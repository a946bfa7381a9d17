import type { KubeError } from '../kube-error.ts'

const FIRST_MS = 1000
const LONGEST_MS = 30_000
const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * Pause in milliseconds before the next list or watch request to the API server. The pause starts at 1 s and doubles
 * with each failure, up to 30 s. If the server's `Retry-After` is longer, it counts instead, up to a minute.
 *
 * The caller passes a random `spread` (0 to 1), as client-go does. This function adds a random part: the growing pause
 * times `spread`. The random part prevents all nodes from sending a request at the same time.
 */
export function backoffMs({ retryAfterMs = 0 }: Pick<KubeError, 'retryAfterMs'>, failures: number, spread: number) {
  const growing = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return Math.round(Math.max(growing, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)) + growing * spread)
}
