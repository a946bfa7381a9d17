/**
 * Implements `isMainThread` of `node:worker_threads`. The runtime has no threads: the program always runs in the main
 * thread.
 */
export const isMainThread = true
export const threadId = 0
export const parentPort = null
export const workerData = null

export default { isMainThread, threadId, parentPort, workerData }
