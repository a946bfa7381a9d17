import { NetnsError } from '../handle/netns-error.ts'

/** Type `T`, but causes a compile error if `T` is a promise. An `await` would leave the namespace. */
export type NotPromise<T> =
  T extends PromiseLike<unknown>
    ? 'The body must be synchronous: after its first await it runs in another namespace. Open sockets or start programs inside, and await them outside'
    : T

/** Throws for an `async` function before the call. The function would leave the namespace at its first `await`. */
export function assertSynchronous(body: () => unknown): void {
  if (typeof body !== 'function') {
    throw new NetnsError('INVALID', `netns.run expects a function as its body, got ${typeof body}`)
  }
  if (Object.prototype.toString.call(body) === '[object AsyncFunction]') throw asyncBody()
}

/** Throws if a function that ran inside a namespace returned a promise. */
export function assertNotPromise<T>(value: T | NotPromise<T>): asserts value is T {
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function') return
  Promise.resolve(value).catch(() => {})
  throw asyncBody()
}

function asyncBody(): NetnsError {
  return new NetnsError(
    'ASYNC_BODY',
    'The body of netns.run must be synchronous: after its first await it runs in another namespace. ' +
      'Open sockets or start programs inside, and await them outside',
  )
}
