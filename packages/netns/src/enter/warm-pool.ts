import { stat } from 'node:fs/promises'

/**
 * Creates the threads of libuv's pool now, in the namespace we are in. A long-lived process awaits this once,
 * before its first `netns.run`: pool threads (async fs, DNS, crypto) keep the namespace they were born in for ever.
 *
 * @example
 * await warmPool()
 */
export async function warmPool(): Promise<void> {
  const wanted = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '', 10)
  // libuv makes them all at the first request; bun one by one, as requests queue up
  const threads = Number.isNaN(wanted) ? 4 : Math.min(Math.max(wanted, 1), 1024)
  await Promise.all(Array.from({ length: threads * 2 }, () => stat('/')))
}
