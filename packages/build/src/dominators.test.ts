import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dominators } from './dominators.ts'

type Graph = Readonly<Record<string, string>>

const found = (graph: Graph) => Object.fromEntries(dominators('a', (node) => graph[node] ?? ''))

const graphs: ReadonlyArray<readonly [what: string, graph: Graph, expected: Graph]> = [
  ['a root alone', {}, { a: 'a' }],
  ['a chain', { a: 'b', b: 'c' }, { a: 'a', b: 'a', c: 'b' }],
  ['two ways that meet', { a: 'bc', b: 'd', c: 'd', d: 'e' }, { a: 'a', b: 'a', c: 'a', d: 'a', e: 'd' }],
  ['a short cut', { a: 'bc', b: 'c' }, { a: 'a', b: 'a', c: 'a' }],
  ['a circle, entered at one point', { a: 'b', b: 'c', c: 'db' }, { a: 'a', b: 'a', c: 'b', d: 'c' }],
  ['a circle, entered at two points', { a: 'bc', b: 'c', c: 'b' }, { a: 'a', b: 'a', c: 'a' }],
  ['what there is no way to', { a: 'b', c: 'b' }, { a: 'a', b: 'a' }],
]

describe('dominators', () => {
  test.each(graphs)('%s', (_, graph, expected) => {
    expect(found(graph)).toEqual(expected)
  })

  test('without its dominator there is no way to a node, and without anything behind that there is', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 })
    fc.assert(
      fc.property(edges, (pairs) => {
        const next = (node: number) => pairs.flatMap(([from, to]) => (from === node ? [to] : []))
        const reach = (without?: number): Set<number> => {
          const seen = new Set(without === 0 ? [] : [0])
          for (const node of seen) for (const other of next(node)) if (other !== without) seen.add(other)
          return seen
        }
        const all = dominators(0, next)
        expect(new Set(all.keys())).toEqual(reach())
        for (const [node, dominator] of all) {
          if (node === 0) continue
          expect(reach(dominator)).not.toContain(node)
          const others = [...all.keys()].filter((one) => one !== node && !reach(one).has(node))
          for (const one of others) expect(one === dominator || !reach(one).has(dominator)).toBe(true)
        }
      }),
    )
  })
})
