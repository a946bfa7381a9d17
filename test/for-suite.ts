import { afterAll, beforeAll } from 'vitest'

/** Starts a resource before the tests of a suite, and disposes it after them. Returns the function that reads it. */
export function forSuite<T extends AsyncDisposable>(start: () => Promise<T>): () => T {
  let started: T
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started?.[Symbol.asyncDispose]())
  return () => started
}
