import { host } from '../host.ts'

/** Rejected promises that have no handler yet, with the reasons of their rejection. */
const unhandled = new Map<object, unknown>()
/** Promises whose unhandled rejection was already reported to the program. */
const reported = new WeakSet<object>()

interface RejectionHandlers {
  unhandled(reason: unknown, promise: object): void
  handledLate(promise: object): void
}

let handlers: RejectionHandlers | undefined

export function watchRejections(given: RejectionHandlers): void {
  handlers = given
  host.onReject((promise, reason, handled) => {
    if (!handled) unhandled.set(promise, reason)
    else if (!unhandled.delete(promise) && reported.delete(promise)) given.handledLate(promise)
  })
}

/** Reports the first rejected promise that has no handler. Returns false if no such promise exists. */
export function reportRejections(): boolean {
  const first = unhandled.entries().next()
  if (first.done) return false
  const [promise, reason] = first.value
  unhandled.delete(promise)
  reported.add(promise)
  handlers?.unhandled(reason, promise)
  return true
}
