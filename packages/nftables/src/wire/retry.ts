import { setTimeout as sleep } from 'node:timers/promises'
import { isNftError, NftError } from './nft-error.ts'

/** Limits for retrying a transaction while other processes change the rules. */
export interface RetryOptions {
  /** AbortSignal that ends the retries, such as the `signal` of a plugin's context. */
  readonly signal?: AbortSignal | undefined
  /** Maximum time for retries of a transaction in milliseconds. Default: 60 000 with an AbortSignal, 10 000 without. */
  readonly timeoutMs?: number | undefined
}

/**
 * Retries a function while other processes change the rules. Random pauses prevent further collisions.
 *
 * @throws NftError `CHANGED` after the last retry.
 */
export async function withRetries<T>(
  action: string,
  attempt: () => T,
  { signal, timeoutMs = signal === undefined ? TIMEOUT_MS : TIMEOUT_WITH_SIGNAL_MS }: RetryOptions,
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (let attempts = 1; ; attempts++) {
    try {
      return attempt()
    } catch (error) {
      if (!isNftError(error) || (error.code !== 'STALE' && error.code !== 'CHANGED')) throw error
      const left = end - performance.now()
      if (left <= 0 || signal?.aborted === true) throw changed(attempts, action, error)
      const pauseMs = Math.min(left, Math.random() * Math.min(2 ** attempts, MAX_PAUSE_MS))
      // If the AbortSignal is aborted during the pause, the pause ends at once and one last attempt follows.
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {})
    }
  }
}

const TIMEOUT_MS = 10_000
/** Default time limit for retries of a caller with an AbortSignal. */
const TIMEOUT_WITH_SIGNAL_MS = 60_000
const MAX_PAUSE_MS = 64

function changed(attempts: number, action: string, cause: NftError): NftError {
  return new NftError(
    'CHANGED',
    `Other processes changed the rules during all ${attempts} attempts to ${action} them`,
    { cause },
  )
}
