import { expect, test } from 'vitest'
import { addRuleset } from '../encode/encode-table.ts'
import { nftables } from '../nftables.ts'
import { base } from '../rules/builder/parts.ts'
import { nftRuleset } from '../rules/ruleset.ts'
import { fakeKernel } from '../testing/fake-kernel.ts'
import { Batch } from '../wire/batch/batch.ts'

const parts = { ex: { in: base('filter', 'input', 0) } } as const

test('diff reports missing and unexpected rules as nft lists them', async () => {
  const nft = fakeKernel().open()
  const desired = nftRuleset('inet', parts, (t) => [t.ex.on('in').tcp('dport', 80).counter().accept().comment('web')])
  const present = nftRuleset('inet', parts, (t) => [
    t.ex.on('in').ip('saddr', ['10.0.0.1', '10.0.0.2']).counter().drop(),
  ])
  nft.commit(addRuleset(new Batch(), present))
  const { missing, unexpected } = await nftables('host', { nft }).diff(desired)
  expect(missing.map(({ rule }) => rule)).toEqual(['tcp dport 80 counter accept comment "web"'])
  expect(unexpected.map(({ rule }) => rule)).toEqual(['ip saddr { 10.0.0.1, 10.0.0.2 } counter drop'])
})
