import { setTimeout as sleep } from 'node:timers/promises'

/** Checks `condition` every `every` milliseconds until it is true. Throws after `limit` milliseconds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  { limit = 60_000, every = 20 }: { readonly limit?: number; readonly every?: number } = {},
): Promise<void> {
  const deadline = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limit / 1000} s`)
    await sleep(every)
  }
}
