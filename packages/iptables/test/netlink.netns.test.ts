import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { Batch, type Expression, encodeExpressions, type NftRule, openNft } from '@cni/nftables/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeRule } from '../src/netlink/encode-rule.ts'
import { formOf } from '../src/netlink/form.ts'
import { tablesFrom } from '../src/netlink/read-tables.ts'
import { families, type Rule } from '../src/rules/model.ts'
import { restoreText } from '../src/text/restore-text.ts'
import { anyRuleset } from './arbitraries.ts'

const runs = Number(process.env.CNI_FUZZ_RUNS ?? 40)
const programs = { ipv4: 'ip', ipv6: 'ip6' } as const

test('each rule that we encode is saved by iptables-nft as the one that it writes', {
  timeout: 120_000 + runs * 2000,
}, async () => {
  await using pod = await tempNetns()
  using nft = openNft(pod)
  let seen = 0
  let left = 0
  await fc.assert(
    fc.asyncProperty(anyRuleset, async (all) => {
      for (const family of families) {
        const program = programs[family]
        // Also after a run that failed.
        const gone = new Batch()
        for (const table of nft.tables({ family: program })) gone.deleteTable(table)
        nft.commit(gone)
        const modelled = (rule: Rule) => rule.position === undefined && encodeRule(rule, family) !== undefined
        const rules = { ...all, rules: all.rules.filter(modelled) }
        left += all.rules.length - rules.rules.length
        const save = async () =>
          (await netns.exec(pod, [`${program}tables-nft-save`])).stdout
            .split('\n')
            .filter((line) => line.startsWith('-A'))
        await netns.exec(pod, [`${program}tables-nft-restore`, '--noflush'], { input: restoreText(rules, family) })
        const theirs = nft.rules({ family: program })
        const text = await save()
        // The same rules, in the chains that are there.
        const batch = new Batch()
        const forms = new Map<string, string[]>()
        for (const { table, chain } of nft.chains({ family: program })) batch.flush({ family: program, table, chain })
        for (const rule of rules.rules) {
          const encoded = encodeRule(rule, family)
          if (rule.family !== undefined && rule.family !== family) continue
          if (encoded !== undefined) {
            batch.addRule({ family: program, table: rule.table, chain: rule.chain, ...encoded })
            const place = `${rule.table} ${rule.chain}`
            forms.set(place, [...(forms.get(place) ?? []), formOf(encoded)])
          }
          seen++
        }
        nft.commit(batch)
        const ours = nft.rules({ family: program })
        // The dialect of this version writes ports and marks without modules: all versions read them with.
        for (const [i, rule] of ours.entries()) {
          if (!rule.expressions.some(isOther)) expect(shown(rule)).toEqual(shown(theirs[i]))
        }
        expect(await save()).toEqual(text)
        expect(ours.length).toBe(theirs.length)
        for (const rule of ours) expect(encodeExpressions(rule.expressions).equals(rule.bytes)).toBe(true)
        for (const [table, chains] of tablesFrom(nft.chains(), nft.rules(), family).tables) {
          for (const [chain, { rules: read }] of chains) {
            expect(read.map(({ form }) => form)).toEqual(forms.get(`${table} ${chain}`) ?? [])
          }
        }
      }
    }),
    { numRuns: runs },
  )
  expect(seen).toBeGreaterThan(runs * 5)
  expect(left).toBeLessThan(seen)
})

const isOther = (each: Expression) =>
  (each.name === 'match' || each.name === 'target') && ['tcp', 'udp', 'mark', 'NFLOG'].includes(each.module)

const shown = (rule: NftRule | undefined) =>
  rule?.expressions.map((each) => ('info' in each ? { ...each, info: Buffer.from(each.info).toString('hex') } : each))
