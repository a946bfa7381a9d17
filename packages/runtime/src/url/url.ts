import { coded } from '../errors.ts'
import {
  defaultPorts,
  isSpecial,
  type Parts,
  parse,
  pathText,
  portText,
  serialize,
  setHost,
  withPath,
} from './parse.ts'
import { percentEncode, sets } from './percent.ts'
import { URLSearchParams } from './search-params.ts'

function parseOrThrow(input: string, base?: string): Parts {
  const baseParts = base === undefined ? undefined : parse(base)
  const parts = base !== undefined && baseParts === undefined ? undefined : parse(input, baseParts)
  if (parts !== undefined) return parts
  const error = coded(new TypeError('Invalid URL'), 'ERR_INVALID_URL')
  throw Object.assign(error, { input, ...(base === undefined ? {} : { base }) })
}

/** Implements the class URL by the WHATWG URL standard. Host names must be ASCII. */
export class URL {
  #parts: Parts
  readonly #params: URLSearchParams

  constructor(input: string | URL, base?: string | URL) {
    this.#parts = parseOrThrow(`${input}`, base === undefined ? undefined : `${base}`)
    this.#params = new URLSearchParams(this.#parts.query ?? '', (query) => {
      this.#parts.query = query === '' ? null : query
    })
  }

  static canParse(input: string | URL, base?: string | URL): boolean {
    return URL.parse(input, base) !== null
  }

  static parse(input: string | URL, base?: string | URL): URL | null {
    try {
      return new URL(input, base)
    } catch {
      return null
    }
  }

  get href(): string {
    return serialize(this.#parts)
  }

  set href(href: string) {
    this.#parts = parseOrThrow(`${href}`)
    this.#params.reset(this.#parts.query ?? '')
  }

  get origin(): string {
    const { protocol, host } = this.#parts
    return isSpecial(protocol) && protocol !== 'file:' ? `${protocol}//${host}${this.#portSuffix()}` : 'null'
  }

  get protocol(): string {
    return this.#parts.protocol
  }

  set protocol(protocol: string) {
    const name = /^([a-z][a-z\d+.-]*):?/i.exec(`${protocol}`)?.[1]?.toLowerCase()
    if (name === undefined || isSpecial(`${name}:`) !== isSpecial(this.protocol)) return
    this.#parts.protocol = `${name}:`
    if (this.port === defaultPorts[this.protocol]) this.#parts.port = ''
  }

  get username(): string {
    return this.#parts.username
  }

  set username(name: string) {
    if (this.#hasAuthority()) this.#parts.username = percentEncode(`${name}`, sets.userinfo)
  }

  get password(): string {
    return this.#parts.password
  }

  set password(password: string) {
    if (this.#hasAuthority()) this.#parts.password = percentEncode(`${password}`, sets.userinfo)
  }

  get host(): string {
    return `${this.#parts.host ?? ''}${this.#portSuffix()}`
  }

  set host(host: string) {
    const text = `${host}`.split(/[/?#\\]/)[0] ?? ''
    const { port } = this.#parts
    if (typeof this.#parts.path !== 'string' && setHost(this.#parts, text) && !/:\d+$/.test(text))
      this.#parts.port = port
  }

  get hostname(): string {
    return this.#parts.host ?? ''
  }

  set hostname(name: string) {
    const { port } = this.#parts
    const text = `${name}`.split(/[/?#\\]/)[0] ?? ''
    if (typeof this.#parts.path === 'string' || (text.includes(':') && !text.startsWith('['))) return
    setHost(this.#parts, text)
    this.#parts.port = port
  }

  get port(): string {
    return this.#parts.port
  }

  set port(port: string) {
    const digits = /^\d*/.exec(`${port}`)?.[0] ?? ''
    if (!this.#hasAuthority() || (digits === '' && `${port}` !== '') || Number(digits) > 65_535) return
    this.#parts.port = portText(this.protocol, digits)
  }

  get pathname(): string {
    return pathText(this.#parts)
  }

  set pathname(path: string) {
    if (typeof this.#parts.path === 'string') return
    withPath(
      this.#parts,
      [],
      `${path}`.replace(/[?#]/g, (mark) => (mark === '?' ? '%3F' : '%23')),
    )
  }

  get search(): string {
    const { query } = this.#parts
    return query === null || query === '' ? '' : `?${query}`
  }

  set search(search: string) {
    const text = `${search}`.replace(/^\?/, '')
    const set = isSpecial(this.protocol) ? sets.specialQuery : sets.query
    this.#parts.query = `${search}` === '' ? null : percentEncode(text, set)
    this.#params.reset(text)
  }

  get searchParams(): URLSearchParams {
    return this.#params
  }

  get hash(): string {
    const { fragment } = this.#parts
    return fragment === null || fragment === '' ? '' : `#${fragment}`
  }

  set hash(hash: string) {
    this.#parts.fragment = `${hash}` === '' ? null : percentEncode(`${hash}`.replace(/^#/, ''), sets.fragment)
  }

  toString(): string {
    return this.href
  }

  toJSON(): string {
    return this.href
  }

  #portSuffix(): string {
    return this.#parts.port === '' ? '' : `:${this.#parts.port}`
  }

  #hasAuthority(): boolean {
    const { host, protocol } = this.#parts
    return host !== null && host !== '' && protocol !== 'file:'
  }
}
