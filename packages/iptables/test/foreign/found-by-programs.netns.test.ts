import { spawnSync } from 'node:child_process'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { times } from '../../../../test/deep.ts'
import { notModelled } from '../../src/encode/encoded.ts'
import { iptables } from '../../src/iptables.ts'
import { type Family, families, type Rule, type Ruleset, rulesFor } from '../../src/rules/model.ts'
import { ruleLine } from '../../src/text/quote.ts'
import { ruleArgs } from '../../src/text/rule-args.ts'
import { anyRuleset } from '../random/arbitraries.ts'

const runs = times(5)

/** Foreign rules before, between and after own rules. */
const theirs = '-m comment --comment "of others" -j RETURN'

test('iptables finds and deletes each rule that netlink wrote; foreign rules keep their places', {
  timeout: 120_000 + runs * 2000,
}, async () => {
  await using pod = await tempNetns()
  const ipt = iptables(pod, { backend: 'iptables-nft', programs: 'never' })
  let seen = 0
  await fc.assert(
    fc.asyncProperty(anyRuleset, async (all) => {
      const rules = { ...all, rules: all.rules.filter((rule) => notModelled(only(rule), families) === undefined) }
      await ipt.apply(rules)
      for (const family of families) {
        const desired = rulesFor(rules, family)
        const places = [...new Set(desired.map(({ table, chain }) => `${table} ${chain}`))].map((place) =>
          place.split(' '),
        )
        // Other programs write before and after the own rules.
        restore(
          pod,
          family,
          places.map(([table, chain]) => [table, `-I ${chain} 1 ${theirs}`]),
        )
        restore(
          pod,
          family,
          places.map(([table, chain]) => [table, `-A ${chain} ${theirs}`]),
        )
        restore(
          pod,
          family,
          desired.map((rule) => [rule.table, `-C ${lineOf(rule, family)}`]),
        )
        restore(
          pod,
          family,
          desired.map((rule) => [rule.table, `-D ${lineOf(rule, family)}`]),
        )
        seen += desired.length
        const left = (await ipt.save(family)).match(/^-A .*$/gm) ?? []
        expect(left.toSorted()).toEqual(
          places.flatMap(([, chain]) => Array(2).fill(`-A ${chain} ${theirs}`)).toSorted(),
        )
        restore(
          pod,
          family,
          places.map(([table, chain]) => [table, `-F ${chain}`]),
        )
      }
      await ipt.remove(rules)
    }),
    { numRuns: runs },
  )
  expect(seen).toBeGreaterThan(runs * 5)
})

test('a missing rule is not found, which shows that the test above searched', async () => {
  await using pod = await tempNetns()
  expect(() => restore(pod, 'ipv4', [['nat', '-C OUTPUT -p tcp -j RETURN']])).toThrow(/does a matching rule exist/)
})

const only = (rule: Rule): Ruleset => ({ chains: [], rules: [rule] })

const lineOf = (rule: Rule, family: Family) => `${rule.chain} ${ruleLine(ruleArgs(rule, family))}`

/** Throws the program's message if it refuses a line. */
function restore(pod: Netns, family: Family, lines: readonly (readonly (string | undefined)[])[]): void {
  const input = lines.map(([table, line]) => `*${table}\n${line}\nCOMMIT\n`).join('')
  const program = `ip${family === 'ipv6' ? '6' : ''}tables-nft-restore`
  const { status, stderr } = netns.run(pod, () => spawnSync(program, ['--noflush'], { input, encoding: 'utf8' }))
  if (status !== 0 || stderr !== '') throw new Error(`${stderr}\n${input}`)
}
