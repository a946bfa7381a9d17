import type { KubeError } from '../kube-error.ts'

const FIRST_MS = 1000
const LONGEST_MS = 30_000
const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * Pause in milliseconds before the next list or watch request to the API server. The pause starts at 1 s and doubles
 * with each failure, up to 30 s. A longer `Retry-After` of the server replaces this pause, up to a minute.
 *
 * The function adds a random part, because all nodes must not send their requests at the same time. The random part is
 * the pause without `Retry-After`, times `spread` (a random number from 0 to 1).
 */
export function backoffMs({ retryAfterMs = 0 }: Pick<KubeError, 'retryAfterMs'>, failures: number, spread: number) {
  const growing = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return Math.round(Math.max(growing, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)) + growing * spread)
}
