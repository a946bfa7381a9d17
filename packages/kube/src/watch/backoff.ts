import type { KubeError } from '../kube-error.ts'

const FIRST_MS = 1000
const MAX_MS = 30_000
const MAX_RETRY_AFTER_MS = 60_000

/** Computes the milliseconds until the next request. A random part spreads the requests of all nodes. */
export function backoffMs({ retryAfterMs = 0 }: Pick<KubeError, 'retryAfterMs'>, failures: number, spread: number) {
  const growing = Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS)
  return Math.round(Math.max(growing, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)) + growing * spread)
}
