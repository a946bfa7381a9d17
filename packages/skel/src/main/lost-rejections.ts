/** Milliseconds from a rejection that nothing handles to the end of the call. */
const PATIENCE = 5000

/** Rejections of promises that nothing has handled yet. */
export interface LostRejections {
  /** Rejects with the reason of the first of them. */
  throwFirst(): Promise<void>
}

/**
 * Follows rejections that nothing handles. A plugin may await a promise only after it rejected, so the outcome of the
 * plugin's handler counts first. `onLost` gets the reason if nothing has handled the promise after five seconds.
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
      // A promise that was handled just now is reported after all pending steps.
      await new Promise((resolve) => setImmediate(resolve))
      for (const reason of lost.values()) throw reason
    },
  }
}
