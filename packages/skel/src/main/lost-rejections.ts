/** Milliseconds until a promise rejection that the plugin does not handle ends the CNI call. */
const PATIENCE = 5000

/** Rejections of promises that no code of the plugin handles. */
export interface LostRejections {
  /** Rejects with the reason of the first unhandled promise rejection. Resolves if all rejections are handled. */
  throwFirst(): Promise<void>
}

/**
 * Tracks promise rejections that the plugin does not handle. Calls `onLost` with the reason if a rejection is still
 * unhandled after five seconds. Within these seconds the plugin may handle the rejection, or its verb handler may end.
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
      // Waits one turn of the event loop. Reason: a rejection that the plugin has just handled leaves `lost` only in
      // the next turn.
      await new Promise((resolve) => setImmediate(resolve))
      for (const reason of lost.values()) throw reason
    },
  }
}
