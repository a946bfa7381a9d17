import { tempNetns } from '@cni/netns/testing'
import { nftables } from '@cni/nftables'
import { type Nft, openNft } from '@cni/nftables/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRecords } from '../src/decode/records.ts'
import { printRecords } from '../src/print/print-records.ts'
import { eachPod } from './each-pod.ts'
import { rulesets } from './random/arbitrary-rulesets.ts'

const numRuns = Number(process.env.CNI_RULESETS ?? 30)

describe('random rulesets', () => {
  const here = eachPod()

  test('each random ruleset is applied after another, verified, and unchanged by a second apply', {
    timeout: 60_000 + numRuns * 1000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(rulesets, rulesets, async (one, other) => {
        const tables = nftables(here.pod, { nft: here.nft })
        for (const rules of [one, other, one]) {
          const { undo } = await tables.apply(rules)
          await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'unchanged' })
          await undo()
          await tables.apply(rules)
          await tables.verify(rules)
        }
        await tables.remove(one)
        await tables.remove(other)
        expect(here.nft.tables()).toEqual([])
      }),
      { numRuns },
    )
  })

  test('undo restores any earlier content', { timeout: 60_000 + numRuns * 1000 }, async () => {
    await fc.assert(
      fc.asyncProperty(rulesets, rulesets, async (one, other) => {
        await using pod = await tempNetns()
        using nft = openNft(pod)
        const tables = nftables(pod, { nft })
        await (await tables.apply(one)).undo()
        expect(nft.tables()).toEqual([])
        await tables.apply(one)
        const before = listing(nft)
        await (await tables.apply(other, { absent: one })).undo()
        expect(listing(nft)).toEqual(before)
      }),
      { numRuns },
    )
  })
})

/** Texts of all tables with sorted chains, because the order of chains has no meaning. Rules keep their order. */
function listing(nft: Nft): string[] {
  const tables = readRecords(nft).map((table) => {
    const text = printRecords([table]).trimEnd().replace(/\n}$/, '')
    const parts = text.split(/\n(?=\t\w)/).map((part) => part.trimEnd())
    return parts.sort().join('\n')
  })
  return tables.sort()
}
