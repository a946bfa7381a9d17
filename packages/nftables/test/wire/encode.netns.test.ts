import { spawnSync } from 'node:child_process'
import { netns } from '@cni/netns'
import { Batch, elementsOf, type Nft, setsOf } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { addRuleset } from '../../src/encode/encode-table.ts'
import { eachPod } from '../each-pod.ts'
import { hasNft, noNft } from './nft-program.ts'
import { rows, tableText } from './rule-rows.ts'

const table = { family: 'inet', table: 't' } as const

describe.skipIf(!hasNft)(`our rules equal rules of nft 1.0.6${noNft}`, () => {
  const each = eachPod()
  test.each(rows.map((row) => [row.text, row] as const))('%s', (_, { chain, text, rules }) => {
    const { nft, pod } = each
    nft.commit(addRuleset(new Batch(), rules))
    const ours = everything(nft)
    nft.commit(new Batch().deleteTable(table))
    const input = tableText(chain, text)
    const { stderr } = netns.run(pod, () => spawnSync('nft', ['-f', '-'], { input, encoding: 'utf8' }))
    expect(stderr).toBe('')
    expect(ours).toEqual(everything(nft))
  })
})

/** Content of the table as the kernel reports it, without numbers that the kernel assigns. */
function everything(nft: Nft) {
  const sets = setsOf(nft, table).map(({ handle: _, ...set }) => ({
    ...{ ...set, set: set.set.replace(/\d+$/, '') },
    elements: elementsOf(nft, set).sort(byKey),
  }))
  return {
    chains: nft.chains(table).map(({ handle: _, ...chain }) => chain),
    rules: nft.rules(table).map(({ chain, expressions, userdata }) => ({
      chain,
      userdata,
      expressions: expressions.map((each) =>
        each.name === 'lookup' ? { ...each, set: each.set.replace(/\d+$/, '') } : each,
      ),
    })),
    sets,
  }
}

const byKey = (a: { readonly key?: Uint8Array; readonly flags?: readonly string[] }, b: typeof a) =>
  Buffer.compare(a.key ?? Buffer.alloc(0), b.key ?? Buffer.alloc(0)) || (a.flags?.length ?? 0) - (b.flags?.length ?? 0)
