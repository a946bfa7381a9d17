import { nftables } from '@cni/nftables'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesets } from './arbitrary-rulesets.ts'
import { eachPod } from './each-pod.ts'

const numRuns = Number(process.env.CNI_RULESETS ?? 30)

describe('random rulesets', () => {
  const here = eachPod()

  test('one after the other: each is applied, stands, and is left alone', {
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
})
