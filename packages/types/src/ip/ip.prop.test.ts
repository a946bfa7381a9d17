import { isIP, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAddress, unmapAddress } from './format-address.ts'
import { parseAddress } from './parse-address.ts'
import { networkAddress, parsePrefix } from './prefix.ts'

const address = fc.oneof(
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
  fc.array(fc.constantFrom(0, 0, 0, 1, 0xff), { minLength: 16, maxLength: 16 }).map((bytes) => Uint8Array.from(bytes)),
)

describe('any bytes', () => {
  test('a formatted address parses to the same bytes', () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const text = formatAddress(bytes)
        expect(isIP(text)).toBe(bytes.length === 4 ? 4 : 6)
        expect(parseAddress(text)).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })

  test('IPv6 is formatted as URLs format it, except for mapped addresses', () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const text = formatAddress(bytes)
        if (bytes.length === 16 && !text.includes('.')) {
          expect(new URL(`http://[${text}]`).hostname).toBe(`[${text}]`)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('a network address has the prefix bits, then zeros', () => {
    fc.assert(
      fc.property(address, fc.nat(128), (bytes, bits) => {
        const length = Math.min(bits, bytes.length * 8)
        const binary = (ip: Uint8Array) => Array.from(ip, (byte) => byte.toString(2).padStart(8, '0')).join('')
        expect(parsePrefix(`${formatAddress(bytes)}/${length}`)).toEqual({ bytes, length })
        expect(binary(networkAddress({ bytes, length }))).toBe(
          binary(bytes)
            .slice(0, length)
            .padEnd(bytes.length * 8, '0'),
        )
      }),
    )
  })
})

describe('any text', () => {
  const part = fc.constantFrom(...'0123456789abfFg:.% /', '::', '255', '256', 'ffff', '1.2.3.4', '00', '01')
  const text = fc.oneof(
    fc.string({ unit: part, maxLength: 24 }),
    fc.ipV4(),
    fc.ipV6(),
    fc.tuple(fc.ipV6(), part).map(([ip, more]) => ip + more),
  )

  test('the parser accepts the same texts as node:net, except for zones', () => {
    fc.assert(
      fc.property(text, (candidate) => {
        const expected = isIP(candidate) === 0 || candidate.includes('%') ? 0 : isIPv6(candidate) ? 16 : 4
        expect(parseAddress(candidate)?.length ?? 0, candidate).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })
})

test.each([
  ['::ffff:a00:1', '::ffff:10.0.0.1', '10.0.0.1'],
  ['::fffe:a00:1', '::fffe:a00:1', '::fffe:a00:1'],
  ['::10.0.0.1', '::a00:1', '::a00:1'],
])('%s is formatted as %s, and unmapped as %s', (text, written, unmapped) => {
  const bytes = parseAddress(text) ?? new Uint8Array()
  expect(formatAddress(bytes)).toBe(written)
  expect(formatAddress(unmapAddress(bytes))).toBe(unmapped)
})

test.each([
  '10.0.0.1/',
  '10.0.0.1/33',
  '10.0.0.1/08',
  '10.0.0.1/+8',
  '::/129',
  '/8',
  '10.0.0.1/8/8',
  '10.0.0.1/ 8',
  '',
])('parsePrefix rejects %j', (text) => {
  expect(parsePrefix(text)).toBeUndefined()
})
