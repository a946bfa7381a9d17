import { formatAddress } from '@cni/types/ip'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytes, type Codec, encode, int, ipv4, ipv6, mac, struct } from './codec.ts'

const number = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 })
const octets = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })

/** Every codec with its valid values. */
const CODECS: Readonly<Record<string, { codec: Codec<unknown>; values: fc.Arbitrary<unknown> }>> = {
  u8: { codec: int('u8'), values: number(8) },
  u16: { codec: int('u16'), values: number(16) },
  u32: { codec: int('u32'), values: number(32) },
  u64: { codec: int('u64'), values: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
  be16: { codec: int('be16'), values: number(16) },
  be32: { codec: int('be32'), values: number(32) },
  ipv4: { codec: ipv4, values: octets(4).map(formatAddress) },
  ipv6: { codec: ipv6, values: octets(16).map(formatAddress) },
  mac: {
    codec: mac,
    values: octets(6).map((six) =>
      Buffer.from(six)
        .toString('hex')
        .replace(/..(?!$)/g, '$&:'),
    ),
  },
  bytes: { codec: bytes(5), values: octets(5) },
}
const names = fc.constantFrom(...Object.keys(CODECS))
const codecOf = (name: string) => CODECS[name] ?? { codec: int('u8'), values: fc.constant(0) }

test.each(Object.keys(CODECS))('%s reads what it writes, and does not touch other bytes', (name) => {
  const { codec, values } = codecOf(name)
  fc.assert(
    fc.property(values, fc.nat(9), (value, at) => {
      const around = Buffer.alloc(codec.size + 20, 0xee)
      codec.write(value, around, at, 'value')
      expect(codec.read(around, at)).toEqual(value)
      const rest = Buffer.concat([around.subarray(0, at), around.subarray(at + codec.size)])
      expect(rest.every((byte) => byte === 0xee)).toBe(true)
    }),
  )
})

test('a struct has the layout of a C compiler with zero padding, and reads what it writes', () => {
  const member = names.chain((name) => codecOf(name).values.map((value) => ({ name, value })))
  fc.assert(
    fc.property(fc.array(member, { minLength: 1, maxLength: 6 }), (members) => {
      const codecs = Object.fromEntries(members.map(({ name }, at) => [`m${at}`, codecOf(name).codec]))
      const value = Object.fromEntries(members.map((each, at) => [`m${at}`, each.value]))
      const codec = struct(codecs)
      const written = encode(codec, value, 'value')
      expect(codec.read(written, 0)).toEqual(value)
      expect(written.length % codec.align).toBe(0)
      let end = 0
      for (const { name, value: own } of members) {
        const { size, align } = codecOf(name).codec
        while (end % align !== 0) expect(written[end++]).toBe(0)
        expect(written.subarray(end, end + size)).toEqual(encode(codecOf(name).codec, own, 'value'))
        end += size
      }
      expect(written.subarray(end).every((byte) => byte === 0)).toBe(true)
    }),
  )
})

test('an invalid value throws an error with its name', () => {
  fc.assert(
    fc.property(names, fc.anything(), (name, value) => {
      const { codec } = codecOf(name)
      try {
        // The kernel has no negative zero.
        const held = value === 0 ? 0 : value
        expect(codec.read(encode(codec, value, 'pod.address'), 0)).toEqual(
          typeof held === 'string' ? expect.any(String) : held,
        )
      } catch (error) {
        expect(error).toMatchObject({
          name: 'EbpfError',
          code: 'INVALID',
          message: expect.stringMatching(/^pod\.address: /),
        })
      }
    }),
    { examples: [['u8', -0]] },
  )
})
