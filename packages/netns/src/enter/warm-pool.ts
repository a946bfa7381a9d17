import { stat } from 'node:fs/promises'

/**
 * Creates the threads of libuv's pool now, in the current namespace. Pool threads (async fs, DNS, crypto) stay in the
 * namespace in which they were created. A long-lived process awaits `warmPool()` once, before its first `netns.run`.
 *
 * @example
 * await warmPool()
 */
export async function warmPool(): Promise<void> {
  const wanted = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '', 10)
  // The loop below sends more requests than the pool has threads. Bun creates the threads one by one as requests queue
  // up. In Node.js, libuv creates all threads at the first request.
  const threads = Number.isNaN(wanted) ? 4 : Math.min(Math.max(wanted, 1), 1024)
  await Promise.all(Array.from({ length: threads * 2 }, () => stat('/')))
}
