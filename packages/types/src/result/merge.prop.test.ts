import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeResults } from './merge.ts'
import type { Result } from './model.ts'

const interfaces = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('eth0', 'eth1', 'cni0'), sandbox: fc.constantFrom('/a', '/b') }),
  { selector: ({ name, sandbox }) => name + sandbox, maxLength: 4 },
)
const address = fc.nat(9).map((host) => `10.1.0.${host}/24`)
const result: fc.Arbitrary<Result> = interfaces.chain((all) =>
  fc.record(
    {
      interfaces: fc.constant(all),
      ips: fc.array(
        all.length === 0 ? fc.record({ address }) : fc.record({ address, interface: fc.nat(all.length - 1) }),
        { maxLength: 4 },
      ),
      routes: fc.array(fc.record({ dst: address }), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
)

/** Every address with its interface, each once. */
const placed = ({ interfaces: all = [], ips = [] }: Result) => {
  const texts = ips.map(({ address: ip, interface: index = -1 }) => `${ip} ${all[index]?.name} ${all[index]?.sandbox}`)
  return [...new Set(texts)].sort()
}
/** Removes addresses from a result without interfaces: their indexes would be invalid. */
const complete = (one: Result): Result => (one.interfaces === undefined ? { ...one, ips: [] } : one)

test('a merged result has all interfaces, addresses and routes, and addresses keep their interface', () => {
  fc.assert(
    fc.property(fc.array(result.map(complete), { maxLength: 4 }), (parts) => {
      const merged = mergeResults(...parts)
      expect(placed(merged)).toEqual([...new Set(parts.flatMap(placed))].sort())
      const names = (one: Result) => (one.interfaces ?? []).map(({ name, sandbox }) => `${name} ${sandbox}`)
      expect(names(merged).sort()).toEqual([...new Set(parts.flatMap(names))].sort())
      const dsts = (one: Result) => (one.routes ?? []).map(({ dst }) => dst)
      expect(dsts(merged)).toEqual([...new Set(parts.flatMap(dsts))])
    }),
  )
})

test('merging in two steps equals merging at once', () => {
  fc.assert(
    fc.property(result, result, result, (a, b, c) => {
      expect(mergeResults(mergeResults(a, b), c)).toEqual(mergeResults(a, b, c))
    }),
  )
})
