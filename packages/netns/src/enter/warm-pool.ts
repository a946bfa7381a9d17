import { stat } from 'node:fs/promises'

/**
 * Creates the threads of libuv's pool now, in the current namespace. Pool threads (async fs, DNS, crypto) stay in their
 * first namespace. A long-lived process awaits `warmPool()` once, before its first `netns.run`.
 *
 * @example
 * await warmPool()
 */
export async function warmPool(): Promise<void> {
  const wanted = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '', 10)
  // Sends more requests than the pool has threads, because bun creates threads one by one.
  const threads = Number.isNaN(wanted) ? 4 : Math.min(Math.max(wanted, 1), 1024)
  await Promise.all(Array.from({ length: threads * 2 }, () => stat('/')))
}
