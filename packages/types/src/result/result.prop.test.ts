import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CniError } from '../errors.ts'
import { goStringify } from '../json/go-json.ts'
import { CNI_VERSIONS, gte } from '../versions.ts'
import { convertResult, decodeResult, encodeResult, reencodeResult } from './convert.ts'
import type { Result } from './model.ts'

const cidr = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, prefix]) => `${ip}/${prefix}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 96, max: 128 })).map(([ip, prefix]) => `${ip}/${prefix}`),
)
const ip = fc.oneof(fc.ipV4(), fc.ipV6())
const int = fc.integer()
const texts = fc.array(fc.string())
const extra = fc.dictionary(fc.constantFrom('x', 'Zz', '__proto__', '10', '-'), fc.jsonValue(), { maxKeys: 3 })
const withExtra = <T extends object>(arbitrary: fc.Arbitrary<T>) =>
  fc
    .tuple(arbitrary, extra)
    .map(([known, more]) => Object.fromEntries([...Object.entries(known), ...Object.entries(more)]) as T)
const optional = { requiredKeys: [] as [] }

const model: fc.Arbitrary<Result> = withExtra(
  fc.record(
    {
      interfaces: fc.array(
        withExtra(
          fc.record(
            {
              name: fc.string(),
              mac: fc.string(),
              mtu: int,
              sandbox: fc.string(),
              socketPath: fc.string(),
              pciID: fc.string(),
            },
            { requiredKeys: ['name'] },
          ),
        ),
      ),
      ips: fc.array(
        withExtra(fc.record({ interface: int, address: cidr, gateway: ip }, { requiredKeys: ['address'] })),
      ),
      routes: fc.array(
        withExtra(
          fc.record(
            { dst: cidr, gw: ip, mtu: int, advmss: int, priority: int, table: int, scope: int },
            { requiredKeys: ['dst'] },
          ),
        ),
      ),
      dns: withExtra(fc.record({ nameservers: texts, domain: fc.string(), search: texts, options: texts }, optional)),
    },
    optional,
  ),
)

const version = fc.constantFrom(...CNI_VERSIONS)
const parse = (text: string): unknown => JSON.parse(text)

test('encoding and decoding in 1.x returns the same result, unknown members included', () => {
  fc.assert(
    fc.property(model, fc.constantFrom('1.0.0', '1.1.0'), (result, to) => {
      const text = encodeResult(result, to)
      const read = decodeResult(parse(text))
      expect(encodeResult(read, to)).toBe(text)
      expect(read).toEqual(decodeResult(parse(goStringify({ ...result, cniVersion: '1.1.0' }))))
    }),
  )
})

test('an encoded result of any version decodes and encodes to the same text', () => {
  fc.assert(
    fc.property(model, version, (result, to) => {
      fc.pre(gte(to, '0.3.0') || (result.ips ?? []).length > 0)
      const text = encodeResult(result, to)
      expect(reencodeResult(parse(text), to, to)).toBe(text)
      expect(encodeResult(decodeResult(parse(text)), to)).toBe(text)
    }),
  )
})

test('a conversion down and up again keeps all addresses from 0.3.0 on', () => {
  fc.assert(
    fc.property(model, fc.constantFrom('0.3.0', '0.3.1', '0.4.0', '1.0.0'), (result, to) => {
      const own = decodeResult({ ...result, cniVersion: '1.1.0' })
      const back = decodeResult(convertResult(own, '1.1.0', to))
      expect(back.ips).toEqual(own.ips)
      expect(back.routes).toEqual(own.routes)
      expect(back.dns).toEqual(own.dns)
    }),
  )
})

test('a conversion in several steps equals a direct one', () => {
  fc.assert(
    fc.property(model, version, version, (result, over, to) => {
      fc.pre((result.ips ?? []).length > 0 && (over === to || gte(over, to) || gte(over, '0.3.0')))
      fc.pre(!(gte(to, '1.0.0') && !gte(over, '1.0.0')))
      const direct = convertResult(decodeResult({ ...result, cniVersion: '1.1.0' }), '1.1.0', to)
      const stepped = convertResult(
        convertResult(decodeResult({ ...result, cniVersion: '1.1.0' }), '1.1.0', over),
        over,
        to,
      )
      expect(stepped).toEqual(direct)
    }),
  )
})

test('decoding and converting throw only CniError for any document', () => {
  const members = [
    'cniVersion',
    'ip4',
    'ip6',
    'ips',
    'IPS',
    'routes',
    'interfaces',
    'dns',
    'address',
    'dst',
    '__proto__',
    'ip',
  ]
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      cidr,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...members), tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, version, version, (document, from, to) => {
      for (const attempt of [
        () => decodeResult(document, { version: from }),
        () => convertResult(document, from, to),
        () => reencodeResult(document, from, to),
        () => encodeResult(document as Result, to),
      ]) {
        try {
          attempt()
        } catch (error) {
          expect(error).toBeInstanceOf(CniError)
        }
      }
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    { numRuns: 500 },
  )
})
