import fc from 'fast-check'
import { Address4, Address6 } from 'ip-address'
import { describe, expect, test } from 'vitest'
import { formatAddress } from '../ip/format-address.ts'
import { parseAddress } from '../ip/parse-address.ts'
import { networkAddress, parsePrefix } from '../ip/prefix.ts'
import { addressesOf, contains, nextAddress, overlaps, subnet } from './subnet.ts'

const bytes = fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
const address = bytes.map(formatAddress)
const network = bytes.chain((given) =>
  fc.integer({ min: 0, max: given.length * 8 }).map((length) => `${formatAddress(given)}/${length}`),
)
const theirs = (text: string) => (text.includes(':') ? new Address6(text) : new Address4(text))

describe('the parser of @cni/types/ip and the package ip-address', () => {
  test('print the text that they parse, IPv4-mapped addresses included', () => {
    fc.assert(
      fc.property(fc.oneof(address, fc.constant('::ffff:10.0.0.1')), (text) => {
        expect(nextAddress(text, 0)).toBe(text)
      }),
    )
  })

  test('parse the same value', () => {
    fc.assert(
      fc.property(address, (text) => {
        const value = [...(parseAddress(text) ?? [])].reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
        expect(theirs(text).bigInt()).toBe(value)
      }),
    )
  })

  test('compute the same network address', () => {
    fc.assert(
      fc.property(network, (text) => {
        const prefix = parsePrefix(text)
        expect(prefix && formatAddress(networkAddress(prefix))).toBe(subnet(text).first)
      }),
    )
  })
})

test('a network contains and overlaps itself, its first and its last address', () => {
  fc.assert(
    fc.property(network, (text) => {
      const { first, last, cidr } = subnet(text)
      for (const inner of [text, cidr, first, last])
        expect([contains(text, inner), overlaps(text, inner)]).toEqual([true, true])
    }),
  )
})

test('overlapping is mutual, and two networks overlap if one contains the other', () => {
  fc.assert(
    fc.property(network, network, (a, b) => {
      expect(overlaps(a, b)).toBe(overlaps(b, a))
      expect(overlaps(a, b)).toBe(contains(a, b) || contains(b, a))
    }),
  )
})

test('nextAddress forward and back returns the same address', () => {
  fc.assert(
    fc.property(address, fc.integer({ min: 1, max: 1000 }), (text, steps) => {
      const there = nextAddress(text, steps)
      if (there !== undefined) expect(nextAddress(there, -steps)).toBe(text)
    }),
  )
})

test.each([
  ['10.1.2.3/30', ['10.1.2.0', '10.1.2.1', '10.1.2.2', '10.1.2.3']],
  ['fd00::fe/127', ['fd00::fe', 'fd00::ff']],
  ['192.0.2.1', ['192.0.2.1']],
])('addressesOf %s', (text, expected) => {
  expect([...addressesOf(text)]).toEqual(expected)
  expect(subnet(text).size).toBe(BigInt(expected.length))
})

test.each([
  ['255.255.255.255', 1],
  ['0.0.0.0', -1],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 1],
])('nextAddress of %s by %i is undefined', (text, steps) => {
  expect(nextAddress(text, steps)).toBeUndefined()
})

test.each(['', '10.0.0', '010.0.0.1', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129', 'fe80::1%eth0', '1.2.3.4:80', 'x'])(
  '%j is rejected by name',
  (text) => {
    expect(() => subnet(text)).toThrow(JSON.stringify(text))
    expect(() => contains('10.0.0.0/8', text)).toThrow(JSON.stringify(text))
  },
)

test('networks of two families neither contain nor overlap each other', () => {
  expect([contains('::/0', '10.0.0.1'), overlaps('0.0.0.0/0', '::/0')]).toEqual([false, false])
})
