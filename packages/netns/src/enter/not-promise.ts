import { NetnsError } from '../handle/netns-error.ts'

/**
 * `T`, or for a promise the text that the compiler shows: after its first `await` a body runs in another namespace.
 */
export type NotPromise<T> =
  T extends PromiseLike<unknown>
    ? 'The body has to be synchronous: after its first await it is in another namespace. Open sockets or start programs in it, and await outside'
    : T

/** Refuses an `async` function before it runs. */
export function assertSynchronous(body: () => unknown): void {
  if (typeof body !== 'function') {
    throw new NetnsError('INVALID', `netns.run needs a function as its body, got ${typeof body}`)
  }
  if (Object.prototype.toString.call(body) === '[object AsyncFunction]') throw asyncBody()
}

/** Refuses what a body returned when it is a promise. Its rejection is not left unhandled. */
export function assertNotPromise<T>(value: T | NotPromise<T>): asserts value is T {
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function') return
  Promise.resolve(value).catch(() => {})
  throw asyncBody()
}

function asyncBody(): NetnsError {
  return new NetnsError(
    'ASYNC_BODY',
    'The body of netns.run must be synchronous: after its first await it is back in the old namespace. ' +
      'Open sockets or start programs inside, and await them outside',
  )
}
