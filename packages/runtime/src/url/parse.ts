import { parseHost } from './parse-host.ts'
import { percentEncode, sets } from './percent.ts'

export const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
  'ftp:': '21',
  'file:': '',
}

/** Serialized parts of a URL. In a URL such as `mailto:x`, `path` is one text without segments. */
export interface Parts {
  protocol: string
  username: string
  password: string
  host: string | null
  port: string
  path: string[] | string
  query: string | null
  fragment: string | null
}

export const isSpecial = (protocol: string): boolean => protocol in defaultPorts

/** Parses a URL by the WHATWG URL standard. Returns `undefined` if the URL is invalid. */
export function parse(input: string, base?: Parts): Parts | undefined {
  const text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '')
  const [beforeFragment, fragment] = cut(text, '#')
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(beforeFragment)?.[1]
  const protocol = scheme === undefined ? undefined : `${scheme.toLowerCase()}:`
  const isRelative =
    protocol === undefined ||
    (protocol === base?.protocol &&
      isSpecial(protocol) &&
      !/^[/\\]{2}/.test(beforeFragment.slice(protocol.length)) &&
      protocol !== 'file:' &&
      !/^[/\\]/.test(beforeFragment.slice(protocol.length)))
  const own = protocol ?? base?.protocol
  if (own === undefined) return undefined
  const rest = protocol === undefined ? beforeFragment : beforeFragment.slice(protocol.length)
  const parts = empty(own)
  parts.fragment = fragment === undefined ? null : percentEncode(fragment, sets.fragment)
  if (!isRelative) return absolute(parts, rest, base)
  return base === undefined ? undefined : relative(parts, rest, base)
}

const empty = (protocol: string): Parts => ({
  protocol,
  username: '',
  password: '',
  host: null,
  port: '',
  path: [],
  query: null,
  fragment: null,
})

/** Splits a text at the first occurrence of `mark`. The second part is `undefined` if `mark` is missing. */
function cut(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

const slash = (protocol: string): RegExp => (isSpecial(protocol) ? /[/\\]/ : /\//)

function setQuery(parts: Parts, query: string | undefined): void {
  if (query === undefined) return
  parts.query = percentEncode(query, isSpecial(parts.protocol) ? sets.specialQuery : sets.query)
}

function absolute(parts: Parts, rest: string, base: Parts | undefined): Parts | undefined {
  const [before, query] = cut(rest, '?')
  setQuery(parts, query)
  if (parts.protocol === 'file:') return file(parts, before, query, base)
  if (isSpecial(parts.protocol)) return withAuthority(parts, before.replace(/^[/\\]+/, ''))
  if (before.startsWith('//')) return withAuthority(parts, before.slice(2))
  if (before.startsWith('/')) return withPath(parts, [], before)
  parts.path = percentEncode(before, sets.control)
  return parts
}

function file(parts: Parts, before: string, query: string | undefined, base: Parts | undefined): Parts | undefined {
  parts.host = ''
  if (/^[/\\]{2}/.test(before)) {
    const [, name = '', path = ''] = /^[/\\]{2}([^/\\]*)(.*)$/s.exec(before) ?? []
    const found = name === '' ? '' : parseHost(name, true)
    if (found === undefined) return undefined
    parts.host = found === 'localhost' ? '' : found
    return withPath(parts, [], path)
  }
  if (/^[/\\]/.test(before) || base?.protocol !== 'file:') return withPath(parts, [], before)
  return relative(parts, query === undefined ? before : `${before}?${query}`, base)
}

function relative(parts: Parts, rest: string, base: Parts): Parts | undefined {
  const [before, query] = cut(rest, '?')
  if (typeof base.path === 'string') {
    if (rest !== '' || parts.fragment === null) return undefined
    return { ...base, fragment: parts.fragment }
  }
  const mark = slash(parts.protocol)
  if (mark.test(before.charAt(0)) && mark.test(before.charAt(1))) {
    setQuery(parts, query)
    return parts.protocol === 'file:'
      ? file(parts, before, query, base)
      : withAuthority(parts, before.slice(2).replace(isSpecial(parts.protocol) ? /^[/\\]+/ : /^$/, ''))
  }
  const { username, password, host, port } = base
  Object.assign(parts, { username, password, host, port })
  setQuery(parts, query)
  if (before === '') {
    parts.path = [...base.path]
    if (query === undefined) parts.query = base.query
    return parts
  }
  return withPath(parts, mark.test(before.charAt(0)) ? [] : base.path.slice(0, -1), before)
}

function withAuthority(parts: Parts, text: string): Parts | undefined {
  const at = text.search(slash(parts.protocol))
  const authority = at < 0 ? text : text.slice(0, at)
  const end = authority.lastIndexOf('@')
  if (end >= 0) {
    const [username, password = ''] = cut(authority.slice(0, end), ':')
    parts.username = percentEncode(username, sets.userinfo)
    parts.password = percentEncode(password, sets.userinfo)
  }
  if (!setHost(parts, authority.slice(end + 1))) return undefined
  if (parts.host === '' && (isSpecial(parts.protocol) || end >= 0)) return undefined
  return withPath(parts, [], at < 0 ? '' : text.slice(at))
}

/** Sets host and port of the URL. Returns false if host or port is invalid. */
export function setHost(parts: Parts, text: string): boolean {
  const [, name = '', , port] = /^(\[[^\]]*\]|[^:]*)(:(.*))?$/s.exec(text) ?? []
  if (!text.startsWith(name) || (port !== undefined && !/^\d*$/.test(port)) || Number(port ?? 0) > 65_535) return false
  if (name === '' && (port !== undefined || isSpecial(parts.protocol))) return false
  const found = name === '' ? '' : parseHost(name, isSpecial(parts.protocol))
  if (found === undefined) return false
  parts.host = found
  parts.port = port === undefined ? '' : portText(parts.protocol, port)
  return true
}

export const portText = (protocol: string, port: string): string =>
  port === '' || String(Number(port)) === defaultPorts[protocol] ? '' : String(Number(port))

/** Appends the segments of a relative path to the base URL's segments. */
export function withPath(parts: Parts, base: readonly string[], text: string): Parts {
  const segments = [...base]
  const given = text.split(slash(parts.protocol))
  if (given[0] === '' && given.length > 1) given.shift()
  if (text === '' && !isSpecial(parts.protocol)) {
    parts.path = segments
    return parts
  }
  for (const [index, segment] of given.entries()) {
    const isLast = index === given.length - 1
    const plain = segment.replace(/%2e/gi, '.')
    if (plain === '..') {
      segments.pop()
      if (isLast) segments.push('')
    } else if (plain === '.') {
      if (isLast) segments.push('')
    } else segments.push(percentEncode(segment, sets.path))
  }
  parts.path = segments
  return parts
}

export function serialize(parts: Parts, withFragment = true): string {
  const { protocol, username, password, host, port, query, fragment } = parts
  let text = protocol
  if (host !== null) {
    const credentials = username === '' && password === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`
    text += `//${credentials}${host}${port === '' ? '' : `:${port}`}`
  } else if (typeof parts.path !== 'string' && parts.path.length > 1 && parts.path[0] === '') text += '/.'
  text += pathText(parts)
  if (query !== null) text += `?${query}`
  return withFragment && fragment !== null ? `${text}#${fragment}` : text
}

export const pathText = ({ path }: Parts): string =>
  typeof path === 'string' ? path : path.map((segment) => `/${segment}`).join('')
