import fc from 'fast-check'
import { canonicalSet } from '../../src/rules/canonical-set.ts'
import type { NamedSet } from '../../src/rules/model.ts'
import type { SetType } from '../../src/rules/values.ts'
import { text, values, verdict } from './arbitrary-values.ts'

const setTypes: readonly SetType[] = [
  ...(['ipv4_addr', 'ipv6_addr', 'inet_proto', 'inet_service', 'ifname', 'mark', 'uid', 'gid'] as const),
]

/** Generators of set keys and key ranges without overlaps, by data type. */
const apart: Readonly<Record<SetType, readonly unknown[]>> = {
  ipv4_addr: ['0.0.0.0', '1.1.1.1', { from: '2.0.0.1', to: '2.0.0.9' }, '10.0.0.0/8', '224.0.0.0/4', '255.255.255.255'],
  ipv6_addr: ['::', '::1', { from: 'fd00::2', to: 'fd00::9' }, 'fe80::/10', 'ff00::/8'],
  inet_proto: ['icmp', { from: 3, to: 5 }, 'tcp', { from: 9, to: 12 }, 'udp', { from: 100, to: 255 }],
  inet_service: [{ from: 0, to: 5 }, 7, { from: 80, to: 90 }, { from: 1000, to: 65_535 }],
  ifname: [{ prefix: 'eth' }, 'lo', { prefix: 'v' }, 'x'],
  mark: [{ from: 0, to: 5 }, 7, { from: 256, to: 300 }, 0xffff_ffff],
  uid: [{ from: 0, to: 5 }, 7, { from: 256, to: 300 }, 1337],
  gid: [1, { from: 3, to: 5 }, { from: 256, to: 300 }],
}

const dataOf = fc.oneof(
  fc.constantFrom(...setTypes).chain((type) => values[type].map((value): [string, unknown] => [type, value])),
  verdict.map((each): [string, unknown] => ['verdict', each]),
)

/** Generator of random sets and maps of any types. `undefined` stands for an invalid set. */
export const namedSet = (name: string): fc.Arbitrary<NamedSet | undefined> =>
  fc
    .record({
      types: fc.array(fc.constantFrom(...setTypes), { minLength: 1, maxLength: 3 }),
      ranges: fc.boolean(),
      data: fc.option(dataOf, { nil: undefined }),
    })
    // Uses concatenated ranges only for types in network byte order, because nft 1.0.6 misreads the ends of other
    // ranges.
    .map(({ ranges, ...rest }) => ({
      ...rest,
      interval:
        ranges && (rest.types.length === 1 || rest.types.every((type) => type.startsWith('i') && type !== 'ifname')),
    }))
    .chain(({ types, interval, data }) => {
      const parts = types.map((type) => (interval ? fc.constantFrom(...apart[type]) : values[type]))
      const key = fc.tuple(...parts).map((list) => (list.length === 1 ? list[0] : list))
      const element = fc.record({ key, comment: text }, { requiredKeys: ['key'] })
      const elements = fc.uniqueArray(element, { maxLength: 12, selector: (each) => JSON.stringify(each.key) })
      const spec = { size: fc.integer({ min: 100, max: 999 }), comment: text, elements }
      return fc.record(spec, { requiredKeys: [] }).map((rest) => {
        const given = {
          ...{ ...rest, name, key: types.length === 1 ? types[0] : types },
          ...(interval ? { interval } : {}),
          ...(data === undefined ? {} : { data: data[0] }),
          ...(rest.elements && data ? { elements: rest.elements.map((each) => ({ ...each, data: data[1] })) } : {}),
        }
        try {
          // The type cast is safe, because `canonicalSet` validates the generated set.
          return canonicalSet(given as NamedSet, 't')
        } catch {
          return undefined
        }
      })
    })
