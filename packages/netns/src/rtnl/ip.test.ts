import { isIP, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatIp, formatPrefix, parseAddress, parseIp, parsePrefix } from './ip.ts'

const hex = (text: string) => Buffer.from(parseIp(text) ?? []).toString('hex')

test.each([
  ['10.1.2.3', '0a010203'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['fd00::1:0:2', 'fd000000000000000000000100000002'],
  ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
  ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
])('%s is %s', (text, bytes) => {
  expect(hex(text)).toBe(bytes)
})

test.each([
  ['00010000000000000000000000000001', '1::1'],
  ['00010000000000020000000000000003', '1:0:0:2::3'],
  ['00010000000200030004000500060007', '1:0:2:3:4:5:6:7'],
  ['20010db8000000000000000000000000', '2001:db8::'],
  ['00000000000000000000ffff0a000001', '::ffff:10.0.0.1'],
])('%s is written %s (RFC 5952)', (bytes, text) => {
  expect(formatIp(Buffer.from(bytes, 'hex'))).toBe(text)
})

test.each(['10.0.0.1/24', '::1/128', '0.0.0.0/0'])('%s is a prefix', (text) => {
  const prefix = parsePrefix(text)
  expect(`${formatIp(prefix.bytes)}/${prefix.length}`).toBe(text)
})

test('an address without a length is a full-length prefix', () => {
  expect(parsePrefix('10.0.0.1').length).toBe(32)
  expect(parsePrefix('::1').length).toBe(128)
})

test.each([
  '',
  '10.0.0.1/33',
  '::/129',
  '10.0.0.1/',
  '10.0.0.1/08',
  '1.2.3.4/5/6',
  '1.2.3',
  'eth0',
  'fe80::1%eth0',
  '010.0.0.1',
])('%j is refused, by name', (text) => {
  expect(() => parsePrefix(text)).toThrow(
    expect.objectContaining({ code: 'INVALID', message: expect.stringContaining(text) }),
  )
})

test('an address is not a prefix', () => {
  expect(() => parseAddress('10.0.0.1/24')).toThrow('Not an IP address: "10.0.0.1/24"')
})

test('a prefix is written without the bits behind it', () => {
  expect(formatPrefix(parsePrefix('10.1.2.3/12'))).toBe('10.0.0.0/12')
  expect(formatPrefix(parsePrefix('fdff::1/9'))).toBe('fd80::/9')
  expect(formatPrefix(parsePrefix('1.2.3.4/0'))).toBe('0.0.0.0/0')
})

describe('of any text and any bytes', () => {
  const address = fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
  )

  test('what is written reads back the same', () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const text = formatIp(bytes)
        expect(isIP(text)).toBe(bytes.length === 4 ? 4 : 6)
        expect(parseIp(text)).toEqual(bytes)
      }),
    )
  })

  test('sparse IPv6 addresses are written as URLs write them', () => {
    const sparse = fc.array(fc.constantFrom(0, 0, 0, 1, 0xab), { minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(sparse, (bytes) => {
        const text = formatIp(Uint8Array.from(bytes))
        if (!text.includes('.')) expect(new URL(`http://[${text}]`).hostname).toBe(`[${text}]`)
      }),
    )
  })

  test('what is accepted is what node:net accepts', () => {
    const text = fc.oneof(fc.string({ unit: fc.constantFrom(...'0123456789abf:.') }), fc.ipV4(), fc.ipV6())
    fc.assert(
      fc.property(text, (candidate) => {
        expect(parseIp(candidate)?.length ?? 0).toBe([0, 4, 16][isIP(candidate) === 0 ? 0 : isIPv6(candidate) ? 2 : 1])
      }),
      { numRuns: 1000 },
    )
  })
})
