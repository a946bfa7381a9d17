import { coded } from '../errors.ts'
import { host } from '../host.ts'
import { stackOf } from '../stack.ts'
import { call } from '../sys/numbers.ts'
import { process } from './process.ts'

type Origin = 'uncaughtException' | 'unhandledRejection'

/** Handles an uncaught exception. Ends the process with code 1 unless the program listens for `uncaughtException`. */
export function crash(error: unknown, origin: Origin = 'uncaughtException'): void {
  process.emit('uncaughtExceptionMonitor', error, origin)
  if (process.emit('uncaughtException', error, origin)) return
  const bytes = host.encode(`Uncaught ${error instanceof Error ? stackOf(error) : String(error)}\n`)
  call('write', 2, bytes, bytes.length)
  process.exit(1)
}

/**
 * Treats a promise rejection without a handler as an uncaught exception, unless the program listens for
 * `unhandledRejection`.
 */
export function crashRejection(reason: unknown, promise: object): void {
  if (process.emit('unhandledRejection', reason, promise)) return
  crash(reason instanceof Error ? reason : notAnError(reason), 'unhandledRejection')
}

function notAnError(reason: unknown): Error {
  const text =
    'This error originated either by throwing inside of an async function without a catch block, ' +
    'or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason ' +
    `"${String(reason)}".`
  return coded(new Error(text), 'ERR_UNHANDLED_REJECTION')
}
