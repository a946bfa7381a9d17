/** Milliseconds after which an unhandled promise rejection in the plugin ends the CNI call. */
const TIMEOUT_MS = 5000

/** Rejections of promises that no code of the plugin handles. */
export interface LostRejections {
  /** Rejects with the reason of the first unhandled promise rejection. Resolves if all rejections are handled. */
  throwFirst(): Promise<void>
}

/** Reports promise rejections that the plugin still does not handle after five seconds. */
export function lostRejections(onLost: (reason: unknown) => void): LostRejections {
  const lost = new Map<Promise<unknown>, unknown>()
  process.on('unhandledRejection', (reason, promise) => {
    lost.set(promise, reason)
    setTimeout(() => {
      if (lost.has(promise)) onLost(reason)
    }, TIMEOUT_MS)
  })
  process.on('rejectionHandled', (promise) => lost.delete(promise))
  return {
    async throwFirst() {
      if (lost.size === 0) return
      // Waits for one event loop cycle, because a handled rejection leaves `lost` only afterwards.
      await new Promise((resolve) => setImmediate(resolve))
      for (const reason of lost.values()) throw reason
    },
  }
}
