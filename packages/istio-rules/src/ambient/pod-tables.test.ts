import { parseListing, printRuleset, type Ruleset } from '@cni/nftables/rules'
import { expect, test } from 'vitest'
import { everything, nativeCaptures, nativeListing } from '../../test/goldens/ambient/cases.ts'
import { allPodTables, podTables } from './pod-tables.ts'

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

/** Text of a ruleset, with tables and chains in one order, and without counters. */
const textOf = ({ tables }: Ruleset): string =>
  printRuleset({
    tables: tables.map((table) => ({ ...table, chains: table.chains.toSorted(byName) })).toSorted(byName),
  })
    .replaceAll(/ packets \d+ bytes \d+/g, '')
    // `printRuleset` puts brackets around text that `parseListing` does not parse.
    .replaceAll(/\[(.*)\]/g, '$1')

test.each(nativeCaptures)('for the capture "$name" equal Istio’s native rules', ({ name, capture }) => {
  expect(textOf(podTables(capture))).toBe(textOf(parseListing(nativeListing(name))))
})

test('all tables of pods are listed without rules', () => {
  const { tables } = allPodTables()
  expect(tables.map(({ name }) => name)).toEqual(podTables(everything).tables.map(({ name }) => name))
  expect(tables.flatMap(({ chains }) => chains.flatMap(({ rules }) => rules))).toEqual([])
})
