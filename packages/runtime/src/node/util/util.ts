import { coded, invalidType } from '../../errors.ts'
import { TextDecoder, TextEncoder } from '../../globals/text.ts'
import { host } from '../../host.ts'
import { isDeepStrictEqual } from '../../inspect/deep-equal.ts'
import { format } from '../../inspect/format.ts'
import { type InspectOptions, inspectWith as inspect } from '../../inspect/inspect.ts'
import { promisifyCustom } from '../../inspect/promisify.ts'
import { types } from '../../inspect/types.ts'
import { nextTick } from '../../loop/ticks.ts'
import { process } from '../../process/process.ts'
import { errnoName } from '../../sys/errno.ts'

export { format, inspect, isDeepStrictEqual, TextDecoder, TextEncoder, types }

// biome-ignore lint/suspicious/noExplicitAny: any function
type AnyFunction = (...args: any[]) => any

export function promisify(original: AnyFunction): AnyFunction {
  if (typeof original !== 'function') throw invalidType('original', 'of type function', original)
  const custom: unknown = Reflect.get(original, promisifyCustom)
  if (typeof custom === 'function') return (...args) => custom(...args)
  return function promised(this: unknown, ...args: unknown[]) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (error: unknown, value: unknown) => (error ? reject(error) : resolve(value)))
    })
  }
}
promisify.custom = promisifyCustom

export function callbackify(original: (...args: unknown[]) => Promise<unknown>): (...args: unknown[]) => void {
  return (...args) => {
    const callback = args.pop()
    if (typeof callback !== 'function') throw invalidType('last argument', 'of type function', callback)
    original(...args).then(
      (value) => nextTick(() => callback(null, value)),
      (error: unknown) => nextTick(() => callback(error ?? rejectedWithNothing(error))),
    )
  }
}

const rejectedWithNothing = (reason: unknown): Error =>
  Object.assign(coded(new Error('Promise was rejected with a falsy value'), 'ERR_FALSY_VALUE_REJECTION'), { reason })

export const formatWithOptions = (_options: InspectOptions, ...values: unknown[]): string => format(...values)

export function inherits(child: AnyFunction, parent: AnyFunction): void {
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true })
  Object.setPrototypeOf(child.prototype, parent.prototype)
}

export function deprecate<T extends AnyFunction>(original: T, message: string, code?: string): AnyFunction {
  let isWarned = false
  return function deprecated(this: unknown, ...args: unknown[]) {
    if (!isWarned) process.emitWarning(message, { type: 'DeprecationWarning', ...(code === undefined ? {} : { code }) })
    isWarned = true
    return original.apply(this, args)
  }
}

/** Implements Node's `util.debuglog`: creates a log function that the variable NODE_DEBUG enables. */
export function debuglog(section: string): (...values: unknown[]) => void {
  return (...values) => {
    const names = (process.env.NODE_DEBUG ?? '').toUpperCase().split(',')
    if (names.includes(section.toUpperCase())) {
      process.stderr.write(`${section.toUpperCase()} ${process.pid}: ${format(...values)}\n`)
    }
  }
}

export const getSystemErrorName = (errno: number): string => errnoName(errno)
export const stripVTControlCharacters = (text: string): string => text.replace(ANSI, '')
export const toUSVString = (text: string): string => host.decode(host.encode(`${text}`))
export const styleText = (_style: unknown, text: string): string => text
export const isArray = Array.isArray

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals begin with one
const ANSI = /[\u001B\u009B][[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g

export default {
  promisify,
  callbackify,
  format,
  formatWithOptions,
  inspect,
  isDeepStrictEqual,
  types,
  inherits,
  deprecate,
  debuglog,
  getSystemErrorName,
  stripVTControlCharacters,
  toUSVString,
  styleText,
  isArray,
  TextDecoder,
  TextEncoder,
}
