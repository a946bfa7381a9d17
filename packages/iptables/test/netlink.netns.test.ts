import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { Batch, type Expression, encodeExpressions, type Nft, type NftRule, openNft } from '@cni/nftables/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { savedText, tablesFrom } from '../src/decode/read-tables.ts'
import { encodeRule } from '../src/encode/encode-rule.ts'
import { parseSave } from '../src/parse/saved-tables.ts'
import { type Family, families, type Rule } from '../src/rules/model.ts'
import { restoreText } from '../src/text/restore-text.ts'
import { anyRuleset } from './random/arbitraries.ts'

const runs = Number(process.env.CNI_FUZZ_RUNS ?? 40)
const programs = { ipv4: 'ip', ipv6: 'ip6' } as const
const sentence =
  'each rule that we encode is saved by iptables-nft as the one that it writes, and each of both read as it is saved'

test(sentence, { timeout: 120_000 + runs * 2000 }, async () => {
  await using pod = await tempNetns()
  using nft = openNft(pod)
  let seen = 0
  let left = 0
  await fc.assert(
    fc.asyncProperty(anyRuleset, async (all) => {
      for (const family of families) {
        const program = programs[family]
        // Cleans up, also after a failed run.
        const gone = new Batch()
        for (const table of nft.tables({ family: program })) gone.deleteTable(table)
        nft.commit(gone)
        const modelled = (rule: Rule) => rule.position === undefined && encodeRule(rule, family) !== undefined
        const rules = { ...all, rules: all.rules.filter(modelled) }
        left += all.rules.length - rules.rules.length
        const save = async () =>
          (await netns.exec(pod, [`${program}tables-nft-save`])).stdout.replaceAll(/^#.*\n/gm, '')
        await netns.exec(pod, [`${program}tables-nft-restore`, '--noflush'], { input: restoreText(rules, family) })
        const theirs = nft.rules({ family: program })
        const text = await save()
        expect(readText(nft, family)).toBe(text)
        // Writes the same rules into existing chains.
        const batch = new Batch()
        const forms = new Map<string, string[]>()
        for (const { table, chain } of nft.chains({ family: program })) batch.flush({ family: program, table, chain })
        for (const rule of rules.rules) {
          const encoded = encodeRule(rule, family)
          if (rule.family !== undefined && rule.family !== family) continue
          if (encoded !== undefined) {
            batch.addRule({ family: program, table: rule.table, chain: rule.chain, ...encoded })
            const place = `${rule.table} ${rule.chain}`
            const form = encodeExpressions(encoded.expressions).toString('latin1')
            forms.set(place, [...(forms.get(place) ?? []), form])
          }
          seen++
        }
        nft.commit(batch)
        const ours = nft.rules({ family: program })
        // This version of iptables writes ports and marks without modules. All versions read the form with modules.
        for (const [i, rule] of ours.entries()) {
          if (!rule.expressions.some(isOther)) expect(shown(rule)).toEqual(shown(theirs[i]))
        }
        expect(await save()).toBe(text)
        expect(readText(nft, family)).toBe(text)
        expect(ours.length).toBe(theirs.length)
        for (const rule of ours) expect(encodeExpressions(rule.expressions).equals(rule.bytes)).toBe(true)
        const read = tablesFrom(nft.chains(), nft.rules(), family)
        for (const [table, chains] of read.tables) {
          for (const [chain, { rules: list }] of chains) {
            expect(list.map(({ form }) => form)).toEqual(forms.get(`${table} ${chain}`) ?? [])
          }
        }
        const parsed = parseSave(text, family)
        expect(plain(read)).toEqual(plain(parsed))
      }
    }),
    { numRuns: runs },
  )
  expect(seen).toBeGreaterThan(runs * 5)
  expect(left).toBeLessThan(seen)
})

const readText = (nft: Nft, family: Family) => savedText(tablesFrom(nft.chains(), nft.rules(), family))

/** Common result of both readers: everything except `source`. */
const plain = ({ tables }: ReturnType<typeof parseSave>) =>
  [...tables].map(([table, chains]) => [
    table,
    [...chains].map(([name, { policy, rules }]) => [name, policy, rules.map(({ key, target }) => [key, target])]),
  ])

const isOther = (each: Expression) =>
  (each.name === 'match' || each.name === 'target') && ['tcp', 'udp', 'mark', 'NFLOG'].includes(each.module)

const shown = (rule: NftRule | undefined) =>
  rule?.expressions.map((each) => ('info' in each ? { ...each, info: Buffer.from(each.info).toString('hex') } : each))
