import { coded, invalidType } from '../errors.ts'
import { percentBytes, percentDecode } from './percent.ts'

type Pair = [name: string, value: string]
type Init = string | Iterable<Iterable<string>> | Readonly<Record<string, string>> | undefined | null

const decode = (text: string): string => percentDecode(text.replaceAll('+', ' '))

const encode = (text: string): string =>
  Array.from(text, (letter) => (letter === ' ' ? '+' : /^[\w*.-]$/.test(letter) ? letter : percentBytes(letter))).join(
    '',
  )

export function parsePairs(query: string): Pair[] {
  const parts = query.split('&').filter((part) => part !== '')
  return parts.map((part) => {
    const at = part.indexOf('=')
    return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]
  })
}

const isIterable = (value: object): value is Iterable<Iterable<string>> => Symbol.iterator in value

function pairsOf(init: Init): Pair[] {
  if (init === undefined || init === null) return []
  if (typeof init !== 'object') return parsePairs(`${init}`.replace(/^\?/, ''))
  if (!isIterable(init)) return Object.entries(init).map(([name, value]) => [name, `${value}`])
  return Array.from(init, (pair) => {
    const [name, value, ...rest] = pair
    if (name === undefined || value === undefined || rest.length > 0) {
      throw coded(new TypeError('Each query pair must be an iterable [name, value] tuple'), 'ERR_INVALID_TUPLE')
    }
    return [`${name}`, `${value}`]
  })
}

/** Query of a URL (`?a=1&b=2`) as a list of names and values. */
export class URLSearchParams implements Iterable<Pair> {
  #pairs: Pair[]
  readonly #changed: ((query: string) => void) | undefined

  /** List of names and values from a URL's query. Calls `changed` with each new query. */
  constructor(init?: Init, changed?: (query: string) => void) {
    this.#pairs = pairsOf(init)
    this.#changed = typeof changed === 'function' ? changed : undefined
  }

  /** Replaces all names and values with a new query's. Does not call the callback `changed`. */
  reset(query: string): void {
    this.#pairs = parsePairs(query)
  }

  get size(): number {
    return this.#pairs.length
  }

  append(name: string, value: string): void {
    this.#set([...this.#pairs, [`${name}`, `${value}`]])
  }

  delete(name: string, value?: string): void {
    this.#set(this.#pairs.filter(([one, own]) => one !== `${name}` || (value !== undefined && own !== `${value}`)))
  }

  get(name: string): string | null {
    return this.#pairs.find(([one]) => one === `${name}`)?.[1] ?? null
  }

  getAll(name: string): string[] {
    return this.#pairs.filter(([one]) => one === `${name}`).map(([, value]) => value)
  }

  has(name: string, value?: string): boolean {
    return this.#pairs.some(([one, own]) => one === `${name}` && (value === undefined || own === `${value}`))
  }

  set(name: string, value: string): void {
    const at = this.#pairs.findIndex(([one]) => one === `${name}`)
    if (at < 0) this.append(name, value)
    else {
      const pair: Pair = [`${name}`, `${value}`]
      this.#set(this.#pairs.flatMap((one, index) => (index === at ? [pair] : one[0] === pair[0] ? [] : [one])))
    }
  }

  sort(): void {
    this.#set(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  }

  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
    if (typeof callback !== 'function') throw invalidType('callback', 'of type function', callback)
    for (const [name, value] of this.#pairs) callback.call(self, value, name, this)
  }

  *entries(): Generator<Pair> {
    for (const [name, value] of this.#pairs) yield [name, value]
  }

  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name
  }

  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value
  }

  [Symbol.iterator](): Generator<Pair> {
    return this.entries()
  }

  toString(): string {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  }

  #set(pairs: Pair[]): void {
    this.#pairs = pairs
    this.#changed?.(this.toString())
  }
}
