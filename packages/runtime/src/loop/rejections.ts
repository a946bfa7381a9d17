import { host } from '../host.ts'

/** Promises that were rejected without a handler, with their reasons. */
const unhandled = new Map<object, unknown>()
/** Promises whose rejection was reported. */
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

/** Reports the rejections that no handler took while ticks and promise jobs ran. Returns false if there are none. */
export function reportRejections(): boolean {
  const first = unhandled.entries().next()
  if (first.done) return false
  const [promise, reason] = first.value
  unhandled.delete(promise)
  reported.add(promise)
  handlers?.unhandled(reason, promise)
  return true
}
