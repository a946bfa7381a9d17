import { createHash, createHmac, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format, inspect, isDeepStrictEqual, types } from 'node:util'
import { show, text } from './show.ts'

export default function main(): void {
  urls()
  paths()
  hashes()
  texts()
  clones()
  inspection()
  language()
}

const URLS: readonly (string | readonly [string, string])[] = [
  'http://example.com',
  'HTTP://User:Pa%20ss@EXAMPLE.com:80/a/../b/./c?q=1#f',
  'https://h:8443/a b?c d#e f',
  'http://[::1]:6443/',
  'http://[fe80:0:0:0:1:0:0:1]/',
  'http://0x7f.1/',
  'http://127.1',
  'http://256.1.1.1',
  'http://1.2.3.4.5',
  'http://a..b/',
  'http://',
  'http:///x',
  'http:x',
  '//x',
  '/x',
  '',
  'x',
  'http://a:99999',
  'http://a:b',
  'http://a b/',
  'file:///etc/passwd',
  'file://localhost/x',
  'file:/x/../y',
  'unix:/run/x.sock',
  'mailto:a@b.c?d',
  'data:text/plain,hello world',
  'http://h/%7Efoo/%2e%2e/bar',
  'http://h\\a\\b',
  ' http://h/ \n',
  'ht\ttp://h',
  'http://h?a=1&b=2&a=3',
  'http://h/é?ü#ö',
  'ws://h:80/',
  'wss://h:443',
  'ftp://h:21/x',
  "http://h/?'",
  'foo://h/a/../b',
  'foo:a/b',
  'foo://',
  'http://h#',
  'http://h?',
  'https://user@h',
  'https://:pw@h',
  'http://h/a;b=c,d',
  'http://%41.com',
  'http://h%00/',
  ['b', 'http://h/a/c'],
  ['../x', 'http://h/a/b/c'],
  ['/y', 'http://h:8080/a'],
  ['?q', 'http://h/a?b#c'],
  ['#f', 'http://h/a?b#c'],
  ['//o/p', 'https://h/a'],
  ['', 'http://h/a?b#c'],
  ['x', 'file:///a/b'],
  ['http:z', 'http://h/a/b'],
  ['.', 'http://h/a/b/'],
  ['..', 'http://h'],
  ['x', 'mailto:a'],
  ['#x', 'mailto:a'],
  ['a', 'nope'],
]

function urls(): void {
  for (const one of URLS) {
    const [input, base] = typeof one === 'string' ? [one, undefined] : one
    show(`url ${JSON.stringify(one)}`, () => {
      const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = new URL(
        input,
        base,
      )
      return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash }
    })
  }
  show('can parse', () => [URL.canParse('http://h'), URL.canParse('h'), URL.parse('x')])
  show('setters', () => {
    const url = new URL('http://a/b')
    url.port = '81'
    url.hostname = 'c'
    url.pathname = 'x y'
    url.search = 'q=1'
    url.hash = 'z'
    url.username = 'me:'
    url.searchParams.append('r', 'a&b')
    const first = url.href
    url.host = 'd:82'
    url.protocol = 'https'
    url.search = ''
    return [first, url.href, JSON.stringify(url), `${url}`]
  })
  show('params', () => {
    const params = new URLSearchParams('?a=1&b=%20x+y&a=2&&c')
    params.set('a', '3')
    params.delete('c')
    params.append('é', '&=+ ~*')
    params.sort()
    return [
      params.toString(),
      params.size,
      params.get('b'),
      params.getAll('a'),
      params.has('zz'),
      [...params.keys()],
      [...params],
    ]
  })
  show('params of object', () => new URLSearchParams({ a: '1', b: '2' }).toString())
  show('params of pairs', () =>
    new URLSearchParams([
      ['a', '1'],
      ['a', '2'],
    ]).toString(),
  )
  show('file', () => [fileURLToPath('file:///a%20b/c'), pathToFileURL('/a b/#?%').href])
  show('not a file', () => fileURLToPath('http://h/'))
  for (const one of [
    '1.2.3.4',
    '01.2.3.4',
    '::',
    '::1',
    'fe80::1%eth0',
    '1::2::3',
    '::ffff:1.2.3.4',
    '1:2:3:4:5:6:7:8:9',
    '',
    'x',
  ])
    show(`isIP ${one}`, () => isIP(one))
}

function paths(): void {
  const list = [
    '',
    '.',
    '/',
    '//',
    'a',
    'a/',
    '/a',
    '/a/',
    'a/b',
    '/a//b/../c',
    '../a',
    'a/../..',
    './a/./b',
    'a.b.c',
    '.a',
    '.a.b',
    'a.',
    '/.',
    '..',
    'a/..',
    'a//',
  ]
  for (const one of list) {
    show(`path ${JSON.stringify(one)}`, () => [
      path.dirname(one),
      path.basename(one),
      path.extname(one),
      path.normalize(one),
      path.isAbsolute(one),
      path.join(one, 'x'),
      path.join('/r', one),
      path.resolve('/r', one),
      path.parse(one),
      path.relative('/r/s', path.resolve('/r', one)),
    ])
  }
  show('basename', () => [
    path.basename('a.ts', '.ts'),
    path.basename('.ts', '.ts'),
    path.basename('/x/a.b.ts/', '.ts'),
  ])
  show('join', () => [path.join(), path.join('a', '', 'b', '../c'), path.resolve('/a', 'b', '/c', '..', 'd')])
  show('format', () => [path.format({ dir: '/a', base: 'b' }), path.format({ root: '/', name: 'n', ext: 'e' })])
  show('path type', () => path.join(5 as never))
  show('dirname type', () => path.dirname(undefined as never))
}

function hashes(): void {
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha384', 'sha512']) {
    for (const length of [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 1000]) {
      show(`${algorithm} ${length}`, () => createHash(algorithm).update('é'.repeat(length)).digest('hex'))
    }
    show(`${algorithm} parts`, () => {
      const hash = createHash(algorithm).update('a').update(Buffer.from('b'))
      const copy = hash.copy().digest('base64')
      return [copy, hash.update('c').digest().toString('hex')]
    })
    show(`${algorithm} hmac`, () => [
      createHmac(algorithm, 'key').update('text').digest('hex'),
      createHmac(algorithm, 'k'.repeat(200)).update('').digest('hex'),
    ])
  }
  show('twice', () => {
    const hash = createHash('sha1')
    hash.digest()
    return hash.digest()
  })
  show('timingSafeEqual', () => [
    timingSafeEqual(Buffer.from('a'), Buffer.from('a')),
    timingSafeEqual(Buffer.from('a'), Buffer.from('b')),
  ])
  show('timingSafeEqual lengths', () => timingSafeEqual(Buffer.from('a'), Buffer.from('ab')))
  show('random', () => [
    randomBytes(5).length,
    /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(randomUUID()),
    [1, 2, 3].includes(randomInt(1, 4)),
    Math.random() < 1,
  ])
  show('randomInt range', () => randomInt(5, 5))
}

function texts(): void {
  const bad = [
    'c3',
    'c328',
    'e282',
    'e28241',
    'f09f98',
    'f0808080',
    'eda080',
    'f4908080',
    'ff',
    '80',
    'c080',
    'efbbbf41',
    'efbbbf',
    'e28c80f0',
    'f8a1a1a1a1',
  ]
  for (const one of bad) {
    const bytes = Buffer.from(one, 'hex')
    show(`utf8 ${one}`, () => [
      new TextDecoder().decode(bytes),
      new TextDecoder('utf8', { ignoreBOM: true }).decode(bytes),
      bytes.toString(),
    ])
    show(`fatal ${one}`, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    show(`stream ${one}`, () => {
      const decoder = new TextDecoder()
      return [...Array.from(bytes, (byte) => decoder.decode(Uint8Array.of(byte), { stream: true })), decoder.decode()]
    })
  }
  show('latin1', () => new TextDecoder('latin1').decode(Uint8Array.of(0x41, 0x80, 0xe9)))
  show('label', () => new TextDecoder('nope'))
  show('encode', () => Buffer.from(new TextEncoder().encode('a\ud800b€')).toString('hex'))
  show('encodeInto', () => {
    const into = new Uint8Array(5)
    return [new TextEncoder().encodeInto('a€€', into), Array.from(into)]
  })
  show('atob', () => [btoa('hello'), atob('aGVsbG8='), atob(' aGV sbG8')])
  show('atob bad', () => atob('a'))
  show('btoa bad', () => btoa('€'))
}

function clones(): void {
  show('clone', () => {
    const source: Record<string, unknown> = {
      a: [1, { b: 2n }],
      d: new Date(5),
      r: /x/gi,
      n: null,
      u: undefined,
      bytes: new Uint8Array([1, 2]),
    }
    const whole: Record<string, unknown> = { ...source, m: new Map([[1, new Set(['x'])]]) }
    const copy = structuredClone(whole)
    return [inspect(copy, { depth: 5 }), copy.a !== source.a]
  })
  show('clone cycle', () => {
    const ring: { self?: unknown } = {}
    ring.self = ring
    const copy = structuredClone(ring)
    return copy.self === copy
  })
  show('clone promise', () => structuredClone(Promise.resolve()))
  show('deep equal', () => [
    isDeepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }),
    isDeepStrictEqual([1], [2]),
    isDeepStrictEqual(new Map([[1, {}]]), new Map([[1, {}]])),
    isDeepStrictEqual(new Set([{ a: 1 }]), new Set([{ a: 1 }])),
    isDeepStrictEqual(Number.NaN, Number.NaN),
    isDeepStrictEqual(0, -0),
    isDeepStrictEqual([], {}),
    isDeepStrictEqual({ a: undefined }, {}),
    isDeepStrictEqual(new Date(1), new Date(1)),
    isDeepStrictEqual(Buffer.from('a'), Buffer.from('b')),
  ])
  show('types', () => [
    types.isDate(new Date()),
    types.isRegExp(/x/),
    types.isPromise(Promise.resolve()),
    types.isMap(new Map()),
    types.isUint8Array(Buffer.alloc(1)),
    types.isNativeError(new TypeError()),
  ])
}

class Point {
  x = 1
  y = [2]
}

function withHole(): unknown[] {
  const list: unknown[] = [undefined]
  list[2] = 3
  return list
}

function inspection(): void {
  const nested = { a: { b: { c: { d: 1 } } } }
  const ring: { self?: unknown; n: number } = { n: 1 }
  ring.self = ring
  const values: readonly unknown[] = [
    1,
    -0,
    5n,
    'x',
    "it's",
    'a\nb',
    true,
    null,
    undefined,
    Symbol('s'),
    [],
    {},
    [1, 'a', null],
    { a: 1, 'b-c': 'x' },
    nested,
    [[[[1]]]],
    new Map([['k', { v: 1 }]]),
    new Set([1, 'a']),
    new Point(),
    Object.create(null),
    () => {},
    class A {},
    function f() {},
    Buffer.from('abc'),
    new Uint8Array([1, 2]),
    new Date(0),
    /x/g,
    { f() {} },
    {
      get g() {
        return 1
      },
    },
    new (class extends Map {})(),
    withHole(),
    { s: Symbol('q') },
    {
      list: [1, 2, 3, 4, 5, 6],
      name: 'a rather long value to be printed',
      other: 'and another one that makes it long',
    },
    'x'.repeat(120),
    { [Symbol('k')]: 1 },
    new Error('in').message,
    Object.assign(() => {}, { a: 1 }),
    new Number(3),
    new String('s'),
  ]
  for (const [index, value] of values.entries()) show(`inspect ${index}`, () => inspect(value))
  show('depth', () => [inspect(nested, { depth: 0 }), inspect(nested, { depth: null })])
  show('format', () => [
    format('%s %d %i %f %j %o %O %%', 'a', '5', 3.7, '1.5', { a: 1 }, { c: 1 }, { b: 2 }),
    format('a', 'b', { c: 1 }),
    format(1, 2),
    format('%s', null, undefined),
    format('%s', { a: 1 }),
    format('%d', 'x'),
    format('%x', 1),
  ])
}

/** Iterator methods under test. The TypeScript library of the compile target does not declare them. */
interface Helpers {
  map(callback: (x: number) => number): Helpers
  filter(callback: (x: number) => boolean): Helpers
  flatMap(callback: (x: number) => number[]): Helpers
  drop(count: number): Helpers
  take(count: number): Helpers
  toArray(): number[]
  reduce(callback: (sum: number, x: number) => number): number
  some(callback: (x: number) => boolean): boolean
  every(callback: (x: number) => boolean): boolean
  find(callback: (x: number) => boolean): number | undefined
}

const hasHelpers = (value: object): value is Helpers => 'flatMap' in value

function helped(values: Iterable<number>): Helpers {
  const iterator = values[Symbol.iterator]()
  if (!hasHelpers(iterator)) throw new Error('there are no iterator helpers')
  return iterator
}

function language(): void {
  show('iterator', () => [
    helped([1, 2, 3, 4])
      .map((x) => x * 2)
      .filter((x) => x > 2)
      .drop(1)
      .take(1)
      .toArray(),
    helped(new Set([1, 2])).reduce((sum, x) => sum + x),
    helped([1, 2]).some((x) => x === 2),
    helped([1]).every((x) => x === 2),
    helped([3, 4]).find((x) => x > 3),
    helped([1, 2])
      .flatMap((x) => [x, 0])
      .toArray(),
  ])
  show('iterator bad', () => helped([1]).take(-1))
  show('dispose', () => {
    const seen: string[] = []
    {
      using stack = new DisposableStack()
      stack.defer(() => seen.push('defer'))
      stack.use({ [Symbol.dispose]: () => seen.push('use') })
      stack.adopt('v', (value) => seen.push(value))
    }
    return seen
  })
  show('dispose errors', () => {
    const stack = new DisposableStack()
    stack.defer(() => {
      throw new Error('one')
    })
    stack.defer(() => {
      throw new Error('two')
    })
    try {
      stack.dispose()
    } catch (error) {
      return error instanceof SuppressedError
        ? [error.name, error.error.message, error.suppressed.message]
        : text(error)
    }
    return 'nothing'
  })
  show('own name', () => {
    class NamedError extends Error {
      override name = 'NamedError'
    }
    return String(new NamedError('x'))
  })
  show('dates', () => [
    new Date(0).toISOString(),
    new Date('2024-02-30').getTime(),
    Date.UTC(2024, 1, 29),
    new Date(2024, 0, 1) instanceof Date,
  ])
}
