import { setTimeout as sleep } from 'node:timers/promises'
import { isNftError, NftError } from './nft-error.ts'

/** How long to begin anew while others change the rules at the same time. */
export interface Patience {
  /** Ends it, such as the `signal` of a plugin's context. */
  readonly signal?: AbortSignal | undefined
  /** Ends it as well, in milliseconds. Default: 10 000, with a signal 60 000. */
  readonly patienceMs?: number | undefined
}

/**
 * Calls a function again while others get in its way (`STALE` and `CHANGED`), after random pauses that grow to 64 ms: many
 * processes that write at once then get their turns. Every other error is thrown at once.
 *
 * @throws NftError `CHANGED` when the time is over.
 */
export async function patiently<T>(
  done: string,
  attempt: () => T,
  { signal, patienceMs = signal === undefined ? PATIENCE : LONG_PATIENCE }: Patience,
): Promise<T> {
  const end = performance.now() + patienceMs
  for (let attempts = 1; ; attempts++) {
    try {
      return attempt()
    } catch (error) {
      if (!isNftError(error) || (error.code !== 'STALE' && error.code !== 'CHANGED')) throw error
      const left = end - performance.now()
      if (left <= 0 || signal?.aborted === true) throw changed(attempts, done, error)
      const pauseMs = Math.min(left, Math.random() * Math.min(2 ** attempts, LONGEST))
      // An abort ends the pause, and this attempt is the last.
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {})
    }
  }
}

const PATIENCE = 10_000
/** A plugin's call has its own deadline, usually 50 s. */
const LONG_PATIENCE = 60_000
const LONGEST = 64

function changed(attempts: number, done: string, cause: NftError): NftError {
  return new NftError('CHANGED', `Others changed the rules each of the ${attempts} times that we ${done}`, { cause })
}
