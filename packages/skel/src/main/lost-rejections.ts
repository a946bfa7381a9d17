/** Milliseconds from an unhandled rejection to the end of the call. */
const PATIENCE = 5000

/** Rejections of promises that no code of the plugin handles. */
export interface LostRejections {
  /** Rejects with the reason of the first unhandled rejection. */
  throwFirst(): Promise<void>
}

/**
 * Tracks unhandled rejections. A plugin may await a promise after it has rejected, so the outcome of the plugin's verb
 * handler has priority. Calls `onLost` with the reason if the promise is still unhandled after five seconds.
 */
export function lostRejections(onLost: (reason: unknown) => void): LostRejections {
  const lost = new Map<Promise<unknown>, unknown>()
  process.on('unhandledRejection', (reason, promise) => {
    lost.set(promise, reason)
    setTimeout(() => {
      if (lost.has(promise)) onLost(reason)
    }, PATIENCE)
  })
  process.on('rejectionHandled', (promise) => lost.delete(promise))
  return {
    async throwFirst() {
      if (lost.size === 0) return
      // Node reports a promise that has just been handled after all pending steps.
      await new Promise((resolve) => setImmediate(resolve))
      for (const reason of lost.values()) throw reason
    },
  }
}
