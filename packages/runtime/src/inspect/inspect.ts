import { stackOf } from '../stack.ts'
import { layOut } from './layout.ts'
import { keyText, quote } from './quote.ts'

export interface InspectOptions {
  readonly depth?: number | null
  readonly showHidden?: boolean
  readonly colors?: boolean
  readonly breakLength?: number
  readonly compact?: boolean | number
  readonly sorted?: boolean
  readonly maxArrayLength?: number | null
}

export const custom = Symbol.for('nodejs.util.inspect.custom')

const MAX_ITEMS = 100

interface State {
  readonly depth: number
  readonly breakLength: number
  readonly sorted: boolean
  readonly maxItems: number
  readonly options: InspectOptions
  readonly ancestors: readonly object[]
  readonly indent: number
  /** Nesting depth of the last formatted object, for the enclosing object's layout. */
  readonly last: { depth: number }
}

/** Formats a value like Node's `util.inspect` without colours. */
export function inspect(value: unknown, options: InspectOptions = {}): string {
  return show(value, {
    depth: options.depth === null ? Number.POSITIVE_INFINITY : (options.depth ?? 2),
    breakLength: options.breakLength ?? 80,
    sorted: options.sorted ?? false,
    maxItems: options.maxArrayLength === null ? Number.POSITIVE_INFINITY : (options.maxArrayLength ?? MAX_ITEMS),
    options,
    ancestors: [],
    indent: 0,
    last: { depth: 0 },
  })
}

export const inspectWith = Object.assign(inspect, { custom, defaultOptions: {} })

function show(value: unknown, state: State): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'symbol') return value.toString()
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return String(value)
  if (state.ancestors.includes(value)) return '[Circular *1]'
  const own = Reflect.get(value, custom)
  if (typeof own === 'function' && own !== inspect) {
    const text: unknown = own.call(value, state.depth, state.options, inspect)
    if (text !== value) return typeof text === 'string' ? text : show(text, state)
  }
  return showObject(value, state)
}

function showObject(value: object, state: State): string {
  const prefix = prefixOf(value)
  if (state.ancestors.length > state.depth) {
    if (Array.isArray(value)) return '[Array]'
    if (!isLeaf(value)) return `[${classOf(value) || 'Object'}]`
  }
  const inner = { ...state, ancestors: [...state.ancestors, value], indent: state.indent + 2 }
  const depth = state.ancestors.length
  state.last.depth = depth
  const items = itemsOf(value, inner)
  const members = membersOf(value, inner)
  const all = [...items, ...members]
  const isList = Array.isArray(value) || ArrayBuffer.isView(value)
  const base = baseOf(value)
  const layout = { indent: state.indent, breakLength: state.breakLength, levels: state.last.depth - depth }
  if (base !== undefined) return all.length === 0 ? base : layOut(`${base} `, all, '{}', layout)
  if (all.length === 0) return isList ? `${prefix}[]` : `${prefix}{}`
  if (!isList) return layOut(prefix, all, '{}', layout)
  return layOut(prefix, all, '[]', layout, listOf(value))
}

const listOf = (value: object): unknown[] => (Symbol.iterator in value ? Array.from(value as Iterable<unknown>) : [])

/**
 * Returns the text that `util.inspect` prints before the members of a function, error, date or similar object. Returns
 * `undefined` for other objects.
 */
function baseOf(value: object): string | undefined {
  if (typeof value === 'function') return functionText(value)
  if (value instanceof Error) return errorText(value)
  if (value instanceof RegExp) return String(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  for (const wrapper of [Number, String, Boolean]) {
    if (value instanceof wrapper) return `[${wrapper.name}: ${show(value.valueOf(), leafState)}]`
  }
  return undefined
}

const leafState: State = {
  depth: 0,
  breakLength: 80,
  sorted: false,
  maxItems: 0,
  options: {},
  ancestors: [],
  indent: 0,
  last: { depth: 0 },
}

const isLeaf = (value: object): boolean => baseOf(value) !== undefined

function functionText(value: object): string {
  // Recognises a class by its `prototype`, because the function's source text is unavailable.
  const isClass = Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false && !isGlobal(value)
  const name = 'name' in value && value.name !== '' ? String(value.name) : '(anonymous)'
  if (isClass) {
    const parent: unknown = Object.getPrototypeOf(value)
    const isDerived = typeof parent === 'function' && parent.name !== ''
    return isDerived ? `[class ${name} extends ${parent.name}]` : `[class ${name}]`
  }
  return name === '(anonymous)' ? '[Function (anonymous)]' : `[${classOf(value) || 'Function'}: ${name}]`
}

const isGlobal = (value: object): boolean => 'name' in value && Reflect.get(globalThis, String(value.name)) === value

function errorText(error: Error): string {
  const stack = stackOf(error)
  return stack.includes('\n    at ') ? stack : `[${stack}]`
}

function classOf(value: object): string {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    const own = Object.getOwnPropertyDescriptor(at, 'constructor')
    if (typeof own?.value === 'function' && own.value.name !== '') return own.value.name
  }
  return ''
}

function prefixOf(value: object): string {
  const name = classOf(value)
  const tag: unknown = Reflect.get(value, Symbol.toStringTag)
  const tagText = typeof tag === 'string' && tag !== '' && tag !== name ? `[${tag}] ` : ''
  if (Array.isArray(value)) return name === 'Array' ? '' : `${name}(${value.length}) `
  if (name === '') return `[Object: null prototype] ${tagText}`
  if (value instanceof Map || value instanceof Set) return `${name}(${value.size}) `
  if (ArrayBuffer.isView(value) && 'length' in value) {
    return name === 'Buffer' ? '' : `${name}(${String(value.length)}) `
  }
  return name === 'Object' ? tagText : `${name} ${tagText}`
}

function itemsOf(value: object, state: State): string[] {
  if (Array.isArray(value)) return arrayItems(value, state)
  if (value instanceof Set) return limited([...value], state, (item) => show(item, state))
  if (value instanceof Map) {
    return limited([...value], state, ([key, item]) => `${show(key, state)} => ${show(item, state)}`)
  }
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return limited([...(value as unknown as Iterable<unknown>)], state, (item) => show(item, state))
  }
  return []
}

/** Counts consecutive holes of a sparse array as one item. */
function arrayItems(list: readonly unknown[], state: State): string[] {
  const items: string[] = []
  for (let at = 0; at < list.length && items.length < state.maxItems; at++) {
    if (at in list) {
      items.push(show(list[at], state))
      continue
    }
    let end = at
    while (end < list.length && !(end in list)) end++
    items.push(`<${end - at} empty item${end - at === 1 ? '' : 's'}>`)
    at = end - 1
  }
  const left = list.length - state.maxItems
  return left > 0 ? [...items, `... ${left} more item${left === 1 ? '' : 's'}`] : items
}

function limited<T>(list: readonly T[], { maxItems }: State, text: (item: T) => string): string[] {
  const shown = list.slice(0, maxItems).map(text)
  const left = list.length - shown.length
  return left === 0 ? shown : [...shown, `... ${left} more item${left === 1 ? '' : 's'}`]
}

function membersOf(value: object, state: State): string[] {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof String
  const keys = Reflect.ownKeys(value).filter((key) => {
    if (isList && typeof key === 'string' && /^\d+$/.test(key)) return false
    if (value instanceof Error && (key === 'stack' || key === 'message')) return false
    return key === 'cause' && value instanceof Error
      ? true
      : Object.getOwnPropertyDescriptor(value, key)?.enumerable === true
  })
  if (state.sorted) keys.sort((a, b) => (String(a) < String(b) ? -1 : 1))
  return keys.map((key) => memberText(value, key, state))
}

function memberText(value: object, key: PropertyKey, state: State): string {
  const descriptor = Object.getOwnPropertyDescriptor(value, key)
  const name = descriptor?.enumerable ? keyText(key) : `[${String(key)}]`
  if (descriptor?.get !== undefined) return `${name}: [${descriptor.set === undefined ? 'Getter' : 'Getter/Setter'}]`
  if (descriptor?.set !== undefined) return `${name}: [Setter]`
  return `${name}: ${show(descriptor?.value, state)}`
}
