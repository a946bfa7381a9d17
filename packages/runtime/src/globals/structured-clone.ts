import { defineGlobal } from '../define.ts'
import { DOMException } from './dom-exception.ts'

interface CloneOptions {
  readonly transfer?: readonly unknown[]
}

/** Implements `structuredClone`, a deep copy. Ignores the option `transfer`: copies memory instead of moving it. */
export function structuredClone(value: unknown, _options?: CloneOptions): unknown {
  return clone(value, new Map())
}

type Seen = Map<object, unknown>

function clone(value: unknown, seen: Seen): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw notCloneable(value)
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return seen.get(value)
  return cloneObject(value, seen)
}

const notCloneable = (value: unknown): DOMException =>
  new DOMException(`${String(value).slice(0, 100)} could not be cloned.`, 'DataCloneError')

function remember<T extends object>(seen: Seen, value: object, copy: T): T {
  seen.set(value, copy)
  return copy
}

function cloneObject(value: object, seen: Seen): unknown {
  if (Array.isArray(value)) {
    const copy = remember(seen, value, new Array(value.length))
    for (const [key, member] of Object.entries(value)) Object.assign(copy, { [key]: clone(member, seen) })
    return copy
  }
  if (value instanceof Map) {
    const copy = remember(seen, value, new Map())
    for (const [key, member] of value) copy.set(clone(key, seen), clone(member, seen))
    return copy
  }
  if (value instanceof Set) {
    const copy = remember(seen, value, new Set())
    for (const member of value) copy.add(clone(member, seen))
    return copy
  }
  if (value instanceof Error) return cloneError(value, seen)
  const known = cloneKnown(value, seen)
  if (known !== undefined) return remember(seen, value, known)
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
    throw new DOMException(`#<${value.constructor.name}> could not be cloned.`, 'DataCloneError')
  }
  const copy: Record<string, unknown> = remember(seen, value, {})
  for (const [key, member] of Object.entries(value)) copy[key] = clone(member, seen)
  return copy
}

function cloneKnown(value: object, seen: Seen): object | undefined {
  if (value instanceof Date) return new Date(value.getTime())
  if (value instanceof RegExp) return new RegExp(value.source, value.flags)
  if (value instanceof ArrayBuffer) return value.slice(0)
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return Object(value.valueOf())
  if (!ArrayBuffer.isView(value)) return undefined
  const buffer = clone(value.buffer, seen)
  const kind = Reflect.get(globalThis, Object.prototype.toString.call(value).slice(8, -1))
  const length = 'length' in value ? value.length : value.byteLength
  return Reflect.construct(kind, [buffer, value.byteOffset, length])
}

const errorKinds = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }

function cloneError(error: Error, seen: Seen): Error {
  const kind = Object.entries(errorKinds).find(([name]) => name === error.name)?.[1] ?? Error
  const copy = remember(seen, error, new kind(error.message))
  if ('cause' in error)
    Object.defineProperty(copy, 'cause', { value: clone(error.cause, seen), configurable: true, writable: true })
  Object.defineProperty(copy, 'stack', { value: error.stack, configurable: true, writable: true })
  return copy
}

defineGlobal('structuredClone', structuredClone)
