import { families, isBuiltin, parseSave, restoreText, type Table } from '@cni/iptables/rules'
import { describe, expect, test } from 'vitest'
import { captures, everything, listing } from '../../test/goldens/ambient/cases.ts'
import { istioRestoreText } from '../iptables/text.ts'
import { type PodCapture, podRules } from './pod-rules.ts'

/** Rules by chain, in canonical form. */
function byChain(rules: Iterable<readonly [table: Table, chain: string, key: string]>): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [table, chain, key] of rules) {
    const place = `${table} ${chain}`
    found[place] = [...(found[place] ?? []), key]
  }
  return found
}

const keys = (text: string, family: 'ipv4' | 'ipv6') =>
  byChain(
    [...parseSave(text, family).tables].flatMap(([table, chains]) =>
      [...chains].flatMap(([chain, { rules }]) => rules.map((rule) => [table, chain, rule.canonical.key] as const)),
    ),
  )

const ours = (capture: PodCapture, family: 'ipv4' | 'ipv6') => keys(restoreText(podRules(capture), family), family)

const listed = (name: string, family: 'ipv4' | 'ipv6') => keys(listing(name, family), family)

describe.each(families)('the %s rules', (family) => {
  test.each(captures)('for the capture "$name" equal Istio’s rules, in the same order', ({ name, capture }) => {
    expect(ours(capture, family)).toEqual(listed(name, family))
  })

  test.each(captures)('for the capture "$name" use the same chains as Istio’s rules', ({ name, capture }) => {
    const text = istioRestoreText(podRules(capture), family)
    const made = [...text.matchAll(/^\* (\w+)\n((?:-N .*\n)*)/gm)].map(([, table, chains = '']) => [
      table,
      [...chains.matchAll(/-N (.*)/g)].map(([, chain]) => chain).sort(),
    ])
    const there = [...parseSave(listing(name, family), family).tables].map(([table, chains]) => [
      table,
      [...chains.keys()].filter((chain) => !isBuiltin(table, chain)).sort(),
    ])
    expect(made).toEqual(there)
  })
})

test('without IPv6 there are no IPv6 rules, and the IPv4 rules are the same', () => {
  const capture = { ...everything, ipv6: false }
  expect(ours(capture, 'ipv4')).toEqual(ours(everything, 'ipv4'))
  expect(ours(capture, 'ipv6')).toEqual({})
})

test('probes come from the configured addresses', () => {
  const capture = { ...everything, probeSource: { ipv4: '192.0.2.1', ipv6: '2001:db8::1' } }
  expect(istioRestoreText(podRules(capture), 'ipv4')).toContain('-s 192.0.2.1/32 -p tcp')
  expect(istioRestoreText(podRules(capture), 'ipv6')).toContain('-d 2001:db8::1/128 -p tcp')
})
