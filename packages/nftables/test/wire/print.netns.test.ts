import { spawnSync } from 'node:child_process'
import { netns } from '@cni/netns'
import { printRuleset } from '@cni/nftables/rules'
import { Batch } from '@cni/nftables/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRecords } from '../../src/decode/records.ts'
import { decodeTables } from '../../src/decode/tables.ts'
import { addRuleset } from '../../src/encode/encode-table.ts'
import { printRecords } from '../../src/print/print-records.ts'
import { eachPod } from '../each-pod.ts'
import { rulesets } from '../random/arbitrary-rulesets.ts'
import { hasNft, noNft } from './nft-program.ts'

const numRuns = Number(process.env.CNI_RULESETS ?? 30)

describe.skipIf(!hasNft)(`our text equals the output of nft list ruleset${noNft}`, () => {
  const here = eachPod()
  const nft = (argv: readonly string[], input = '') =>
    netns.run(here.pod, () => spawnSync('nft', argv, { input, encoding: 'utf8', maxBuffer: 1e8 }))
  const list = () => nft(['list', 'ruleset']).stdout

  test(`${numRuns} random rulesets, as data and from the kernel`, { timeout: 60_000 + numRuns * 1000 }, () => {
    fc.assert(
      fc.property(rulesets, (rules) => {
        here.nft.commit(addRuleset(new Batch(), rules))
        const theirs = list()
        const records = readRecords(here.nft)
        here.nft.commit(
          rules.tables.reduce((batch, { family, name }) => batch.deleteTable({ family, table: name }), new Batch()),
        )
        expect(printRecords(records)).toBe(theirs)
        expect(printRuleset(decodeTables(records))).toBe(theirs)
        expect(printRuleset(rules)).toBe(theirs)
      }),
      { numRuns },
    )
  })
})
