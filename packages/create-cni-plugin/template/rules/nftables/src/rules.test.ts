import { nftables } from '@cni/nftables'
import { fakeKernel } from '@cni/nftables/testing'
import { expect, test } from 'vitest'
import { rules } from './rules.ts'

test('the table is written, verified and removed, without root and kernel', async () => {
  const nft = fakeKernel().open()
  const tables = nftables('host', { nft })
  const wanted = rules({ port: 15001, proxy_uid: 1337 })
  await expect(tables.apply(wanted)).resolves.toMatchObject({ plan: 'fresh' })
  await expect(tables.apply(wanted)).resolves.toMatchObject({ plan: 'unchanged' })
  await expect(tables.verify(rules({ port: 15002, proxy_uid: 1337 }))).rejects.toThrow('1 missing, 1 unexpected')
  await tables.remove({ tables: [{ family: 'inet', name: '@NAME@' }] })
  expect(nft.tables()).toEqual([])
})
