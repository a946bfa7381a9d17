import { findExecutable } from '@cni/host'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { nftables } from '@cni/nftables'
import { printRuleset } from '@cni/nftables/rules'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawn, times } from '../../../test/deep.ts'
import { nativeRules } from '../src/nftables/rules.ts'
import { kernelDump } from './kernel-dump.ts'
import { anyConfig } from './random-config.ts'
import { nativeTransaction } from './transaction.ts'

const runs = times(24)
const missing = findExecutable('nft') === undefined ? ' (skipped: nft is not installed)' : ''

describe.runIf(missing === '')(`the native rules of a random configuration${missing}`, () => {
  test('have the same bytes as Istio’s transaction that nft has read, and are verified there', {
    timeout: 60_000 + runs * 2000,
  }, async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(anyConfig, async (config) => {
        const rules = nativeRules(config)
        await using theirs = await tempNetns()
        await netns.exec(theirs, ['nft', '-f', '-'], { input: nativeTransaction(config) })
        await using ours = await tempNetns()
        await nftables(ours).apply(rules)
        expect(kernelDump(ours)).toEqual(kernelDump(theirs))
        expect((await netns.exec(ours, ['nft', 'list', 'ruleset'])).stdout).toBe(printRuleset(rules))
        // Rules that nft has written count as ours.
        await nftables(theirs).verify(rules)
        expect(await nftables(theirs).apply(rules)).toMatchObject({ plan: 'unchanged' })
        compared += 1
      }),
      { numRuns: runs, ...drawn, endOnFailure: true },
    )
    expect(compared).toBeGreaterThanOrEqual(runs)
  })
})
