import { invalidType } from '../errors.ts'
import { customPromisify } from '../inspect/promisify.ts'
import { nextTick } from '../loop/ticks.ts'

// biome-ignore lint/suspicious/noExplicitAny: any function of node:fs
type Sync = (...args: any[]) => unknown

type Callback = (error: Error | null, ...values: unknown[]) => void

/** Creates the callback version of a synchronous file function, such as `fs.stat`. */
export function withCallback(sync: Sync, withBuffer = false): (...args: unknown[]) => void {
  const callback = (...args: unknown[]): void => {
    const done = args.pop()
    if (typeof done !== 'function') throw invalidType('cb', 'of type function', done)
    nextTick(() => settle(sync, args, done as Callback, withBuffer ? [args[1]] : []))
  }
  if (withBuffer) {
    customPromisify(callback, async (...args: unknown[]) => {
      const count = sync(...args)
      return { bytesRead: count, bytesWritten: count, buffer: args[1] }
    })
  }
  return callback
}

function settle(sync: Sync, args: readonly unknown[], done: Callback, more: readonly unknown[]): void {
  let value: unknown
  try {
    value = sync(...args)
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
    return
  }
  done(null, value, ...more)
}
