import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCniArgs } from './cni-args.ts'
import { type ConflistDocument, parseConflist, parseConflistDocument } from './conf/conflist.ts'
import { insertPlugin, removePlugin } from './conf/conflist-edit.ts'
import { parseNetConf } from './conf/net-conf.ts'
import { toErrorDocument } from './error-document.ts'
import { CniError } from './errors.ts'
import { parseCidr, parseIp } from './ip.ts'
import { goStringify } from './json/go-json.ts'
import { goQuote } from './text/go-quote.ts'
import { assertContainerID, assertIfName, assertNetworkName } from './validate.ts'
import { parseVersion } from './versions.ts'

const lone = /\p{Surrogate}/u
const wholeText = fc.string({ unit: 'binary' }).filter((text) => !lone.test(text))
const json = fc.jsonValue({ stringUnit: 'binary' }).filter((value) => !lone.test(JSON.stringify(value)))
const almostJson = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .dictionary(
      fc.constantFrom(
        'name',
        'NAME',
        'cniVersion',
        'cniVersions',
        'plugins',
        'type',
        'disableCheck',
        '__proto__',
        'ipam',
      ),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
  fc.record({ name: fc.string(), plugins: fc.jsonValue() }).map((value) => JSON.stringify(value)),
)

const onlyCniErrors = (attempt: () => unknown): void => {
  try {
    attempt()
  } catch (error) {
    expect(error).toBeInstanceOf(CniError)
  }
}

test('JSON printed with Go’s bytes parses to the same value', () => {
  fc.assert(
    fc.property(json, fc.boolean(), fc.constantFrom(0, 2, 4), (value, sortKeys, indent) => {
      const text = goStringify(value, { indent, sortKeys })
      expect(JSON.parse(text)).toEqual(value)
      expect(text).not.toMatch(/[<>&\u2028\u2029]/)
    }),
  )
})

test('JSON has the bytes of JSON.stringify, except for HTML characters and -0', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, 4), (value, indent) => {
      const plain = JSON.stringify(value, null, indent)
      fc.pre(!/[<>&\u2028\u2029]/.test(plain) && JSON.stringify(JSON.parse(plain)) === goStringify(value))
      expect(goStringify(value, { indent })).toBe(plain)
    }),
  )
})

test('goQuote returns one line of printable characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(goQuote(text)).toMatch(/^"[^\p{C}\u2028\u2029]*"$/u)
    }),
  )
})

test('parsers throw only CniError for any text', () => {
  fc.assert(
    fc.property(almostJson, (text) => {
      onlyCniErrors(() => parseNetConf(text))
      onlyCniErrors(() => parseConflist(text))
      onlyCniErrors(() => parseCniArgs(text, { strict: true }))
      onlyCniErrors(() => parseVersion(text))
      onlyCniErrors(() => parseIp(text))
      onlyCniErrors(() => parseCidr(text))
      onlyCniErrors(() => assertContainerID(text))
      onlyCniErrors(() => assertNetworkName(text))
      onlyCniErrors(() => assertIfName(text))
      parseCniArgs(text)
    }),
    { numRuns: 1000 },
  )
})

test('parseNetConf throws only CniError for any bytes', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => onlyCniErrors(() => parseNetConf(bytes))))
})

test('toErrorDocument accepts any thrown value', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (thrown) => {
      expect(toErrorDocument(thrown)).toMatchObject({ code: 999, msg: expect.any(String) })
    }),
  )
})

test('parseIp accepts the same addresses as Node, except for zones', () => {
  const addressish = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4Extended(),
    fc.string({ unit: fc.constantFrom('0', '1', '9', 'f', 'G', ':', ':', '.', '.', '::'), maxLength: 20 }),
  )
  fc.assert(
    fc.property(addressish, (text) => {
      if (isIP(text) === 0) {
        expect(() => parseIp(text)).toThrow(CniError)
        return
      }
      const { address, family } = parseIp(text)
      expect(parseIp(address)).toEqual({ address, family })
      expect(isIP(address)).toBe(family)
      if (isIP(text) === 6 && family === 6) expect(`http://[${address}]/`).toBe(new URL(`http://[${text}]/`).href)
    }),
    { numRuns: 1000 },
  )
})

test('parseCniArgs returns the pairs in order, and the last of equal keys', () => {
  const key = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((text) => !/[;=]/.test(text))
  const value = fc.string().filter((text) => !text.includes(';'))
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value)), (pairs) => {
      const text = pairs.map(([name, one]) => `${name}=${one}`).join(';')
      expect([...parseCniArgs(text)]).toEqual([...new Map(pairs)])
    }),
  )
})

test('insertPlugin is idempotent, and removePlugin reverts it', () => {
  const plugin = fc.record({ type: wholeText.filter((type) => type !== '' && type !== 'mesh'), x: fc.jsonValue() })
  const list = fc.record({ name: fc.string(), y: fc.jsonValue(), plugins: fc.array(plugin, { minLength: 1 }) })
  fc.assert(
    fc.property(list, (written) => {
      const before: ConflistDocument = parseConflistDocument(JSON.stringify(written))
      const after = insertPlugin(before, { type: 'mesh', port: 1 })
      expect(insertPlugin(after, { type: 'mesh', port: 1 })).toEqual(after)
      expect(JSON.stringify(removePlugin(after, 'mesh'))).toBe(JSON.stringify(before))
    }),
  )
})
