import type { IpFamily } from '@cni/types/ip'
import { formatAddress } from '@cni/types/ip'
import fc from 'fast-check'
import { canonicalText } from '../src/entry.ts'
import type { Entry, SetSpec } from '../src/spec-types.ts'

/**
 * Generates valid comments of entries: no option of `ipset`, no double quote, no control character, no broken Unicode.
 */
const comment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.replace(/["\p{Cc}\p{Cs}]/gu, '\\'))
  .filter((text) => Buffer.byteLength(text) <= 255 && !/^--?[a-z!]+$/i.test(text))

// Generates addresses from a few byte values. Consequence: random addresses are often equal.
const address = (family: IpFamily) =>
  fc
    .array(fc.constantFrom(0, 1, 10, 255), {
      minLength: family === 'ipv4' ? 4 : 16,
      maxLength: family === 'ipv4' ? 4 : 16,
    })
    .filter((bytes) => bytes.some((byte) => byte !== 0))
    .map((bytes) => formatAddress(Uint8Array.from(bytes)))

const network = (family: IpFamily) =>
  fc.tuple(address(family), fc.integer({ min: 1, max: family === 'ipv4' ? 32 : 128 })).map(([ip, n]) => `${ip}/${n}`)

const withPort = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.constantFrom('tcp', 'udp', 'sctp', 'udplite'), fc.nat(65535))
    .map(([place, proto, port]) => `${place},${proto}:${port}`)

const texts = (spec: SetSpec): fc.Arbitrary<string> => {
  switch (spec.type) {
    case 'hash:ip':
      return address(spec.family)
    case 'hash:net':
      return network(spec.family)
    case 'hash:ip,port':
      return withPort(address(spec.family))
    case 'hash:net,port':
      return withPort(network(spec.family))
    default:
      return fc.nat(65535).map(String)
  }
}

const spec: fc.Arbitrary<SetSpec> = fc
  .tuple(
    fc.constantFrom('hash:ip' as const, 'hash:net' as const, 'hash:ip,port' as const, 'hash:net,port' as const),
    fc.constantFrom<IpFamily>('ipv4', 'ipv6'),
    fc.record(
      { comment: fc.boolean(), counters: fc.boolean(), timeoutSeconds: fc.constantFrom(0, 600, 2147483) },
      { requiredKeys: [] },
    ),
    fc.record({ maxelem: fc.constantFrom(64, 70_000), hashsize: fc.constantFrom(1, 64, 4096) }, { requiredKeys: [] }),
    fc.boolean(),
  )
  .map(([type, family, extensions, sizes, bitmap]) =>
    bitmap && family === 'ipv6' && type === 'hash:ip'
      ? { type: 'bitmap:port', ...extensions }
      : { type, family, ...extensions, ...sizes },
  )

/** Generates a set's spec of any type, with valid entries for it. */
export const anyContent: fc.Arbitrary<{ spec: SetSpec; entries: Entry[] }> = spec.chain((made) => {
  const entry = fc.record(
    {
      entry: texts(made),
      ...(made.comment === true && { comment }),
      ...(made.timeoutSeconds !== undefined && { timeoutSeconds: fc.constantFrom(0, 600, 2147483) }),
      ...(made.type.startsWith('hash:net') && { nomatch: fc.boolean() }),
    },
    { requiredKeys: ['entry'] },
  )
  // Generates each entry only once, because the same entry with different options would be an error.
  return fc
    .uniqueArray(entry, { maxLength: 12, selector: (each) => canonicalText(made, each.entry) })
    .map((entries) => ({ spec: made, entries }))
})
