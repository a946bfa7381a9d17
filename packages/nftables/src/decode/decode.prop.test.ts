import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rulesets } from '../../test/random/arbitrary-rulesets.ts'
import { encodeRule } from '../encode/encode-rule.ts'
import type { EncodedSet } from '../encode/encoded.ts'
import type { NftSet } from '../wire/dumps/set-records.ts'
import { decodeExpressions, encodeExpressions } from '../wire/expressions/expression.ts'
import type { SetRecord } from './reading.ts'
import { decodeStatements } from './statements.ts'

test('the encoded statements of a canonical rule decode to the same statements', () => {
  fc.assert(
    fc.property(rulesets, ({ tables }) => {
      for (const { family, chains } of tables) {
        for (const rule of chains.flatMap(({ rules }) => rules)) {
          const { expressions, sets } = encodeRule(rule, { family, isInterval: () => false })
          const named = expressions.map((each) => {
            if (each.name !== 'lookup' || each.setId === undefined) return each
            const { setId, ...lookup } = each
            return { ...lookup, set: `__set${setId}` }
          })
          const told = decodeExpressions(encodeExpressions(named))
          expect(decodeStatements(family, told, new Map(sets.map(recordOf)))).toEqual(rule.statements)
        }
      }
    }),
    { numRuns: Number(process.env.CNI_RULESETS ?? 200) },
  )
})

/** An anonymous set as the kernel reports it. */
function recordOf({ elements, ...given }: EncodedSet, at: number): [string, SetRecord] {
  const set: NftSet = { ...given, family: 'inet', table: 't', set: `__set${at}`, handle: 1n }
  return [
    set.set,
    {
      set,
      elements: elements.map(({ key = Buffer.alloc(0), data, flags = [] }) => ({ key, ...(data && { data }), flags })),
    },
  ]
}
