import type { ReadSide } from './read-side.ts'
import type { Done } from './stream.ts'

type Make<T> = (read: () => void, destroy: (error: Error | null, done: Done) => void) => T

/** Creates a readable stream from an iterable. Each `read` of the stream takes one value of the iterable. */
export function iterate<T extends ReadSide>(source: Iterable<unknown> | AsyncIterable<unknown>, make: Make<T>): T {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const next = async (): Promise<void> => {
    try {
      const { done, value } = await iterator.next()
      stream.push(done ? null : await value)
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const stream = make(
    () => void next(),
    (error, done) => {
      Promise.resolve(iterator.return?.()).then(
        () => done(error),
        (cause: unknown) => done(error ?? (cause instanceof Error ? cause : null)),
      )
    },
  )
  return stream
}
