import { define } from '../define.ts'

// Implements the iterator helpers of ES2025 (`map`, `filter` …), which QuickJS 2025.04.26 lacks.

const prototype: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))

type Source = Iterator<unknown>
type Mapper = (value: unknown, index: number) => unknown

function checkFunction(callback: unknown): asserts callback is Mapper {
  if (typeof callback !== 'function') throw new TypeError(`${String(callback)} is not a function`)
}

function checkCount(count: unknown): number {
  const number = Number(count)
  if (Number.isNaN(number) || number < 0) throw new RangeError(`${String(count)} must be positive`)
  return Math.trunc(number)
}

/** Iterates over an object that has only `next` and maybe `return`. Calls `return` if the loop ends early. */
function* each(source: Source): Generator<unknown, void> {
  let isDone = false
  try {
    for (;;) {
      const { done, value } = source.next()
      if (done) {
        isDone = true
        return
      }
      yield value
    }
  } finally {
    if (!isDone) source.return?.()
  }
}

function* map(source: Source, callback: Mapper): Generator {
  let index = 0
  for (const value of each(source)) yield callback(value, index++)
}

function* filter(source: Source, callback: Mapper): Generator {
  let index = 0
  for (const value of each(source)) if (callback(value, index++)) yield value
}

function* take(source: Source, limit: number): Generator {
  let left = limit
  if (left === 0) {
    source.return?.()
    return
  }
  for (const value of each(source)) {
    yield value
    if (--left === 0) return
  }
}

function* drop(source: Source, limit: number): Generator {
  let left = limit
  for (const value of each(source)) if (left-- <= 0) yield value
}

function* flatMap(source: Source, callback: Mapper): Generator {
  let index = 0
  for (const value of each(source)) yield* iterable(callback(value, index++))
}

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value
const isIterator = (value: object): value is Source => 'next' in value && typeof value.next === 'function'

function iterable(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${String(value)} is not an object`)
  if (isIterable(value)) return value
  if (isIterator(value)) return each(value)
  throw new TypeError('the object has neither Symbol.iterator nor next')
}

const helpers = {
  map(this: Source, callback: Mapper) {
    checkFunction(callback)
    return map(this, callback)
  },
  filter(this: Source, callback: Mapper) {
    checkFunction(callback)
    return filter(this, callback)
  },
  take(this: Source, limit: number) {
    return take(this, checkCount(limit))
  },
  drop(this: Source, limit: number) {
    return drop(this, checkCount(limit))
  },
  flatMap(this: Source, callback: Mapper) {
    checkFunction(callback)
    return flatMap(this, callback)
  },
  toArray(this: Source) {
    return [...each(this)]
  },
  forEach(this: Source, callback: Mapper) {
    checkFunction(callback)
    let index = 0
    for (const value of each(this)) callback(value, index++)
  },
  some(this: Source, callback: Mapper) {
    checkFunction(callback)
    let index = 0
    for (const value of each(this)) if (callback(value, index++)) return true
    return false
  },
  every(this: Source, callback: Mapper) {
    checkFunction(callback)
    let index = 0
    for (const value of each(this)) if (!callback(value, index++)) return false
    return true
  },
  find(this: Source, callback: Mapper) {
    checkFunction(callback)
    let index = 0
    for (const value of each(this)) if (callback(value, index++)) return value
    return undefined
  },
  reduce(this: Source, callback: (sum: unknown, value: unknown, index: number) => unknown, ...initial: unknown[]) {
    checkFunction(callback)
    let index = 0
    let sum = initial[0]
    for (const value of each(this)) {
      if (index === 0 && initial.length === 0) sum = value
      else sum = callback(sum, value, index)
      index++
    }
    if (index === 0 && initial.length === 0) throw new TypeError('Reduce of a done iterator with no initial value')
    return sum
  },
}

for (const [name, helper] of Object.entries(helpers)) if (!(name in prototype)) define(prototype, name, helper)

if (!('Iterator' in globalThis)) {
  define(globalThis, 'Iterator', Iterator)
  Iterator.prototype = prototype
  define(Iterator, 'from', (value: unknown) => {
    const source = typeof value === 'string' ? value[Symbol.iterator]() : iterable(value)[Symbol.iterator]()
    return Object.prototype.isPrototypeOf.call(prototype, source) ? source : each(source)
  })
  define(prototype, 'constructor', Iterator)
}

/**
 * Abstract constructor `Iterator`: a program can create only instances of subclasses, as the ECMAScript standard says.
 */
function Iterator(this: unknown): void {
  if (new.target === undefined || new.target === Iterator) {
    throw new TypeError('Abstract class Iterator not directly constructable')
  }
}
