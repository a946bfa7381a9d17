import { be16 } from '@cni/netns/netlink'
import { fakeKernel } from '@cni/nftables/testing'
import { addElements, addSet, Batch } from '@cni/nftables/wire'
import { expect, test } from 'vitest'
import { linesOf, unreadableReason } from './nft-lines.ts'

const table = { family: 'ip', table: 'ex' } as const
const chain = { ...table, chain: 'c' } as const

test('each object is a line with its place, without counts', async () => {
  const nft = fakeKernel().open()
  const ports = { ...table, set: 'ports', keyType: 13, keyLength: 2 }
  const batch = new Batch()
    .addTable({ ...table, flags: 1 })
    .addChain({ ...chain, base: { type: 'filter', hook: 'output', priority: -5 }, policy: 'drop' })
    .addChain({ ...table, chain: 'sub', comment: 'reached by jumps' })
  addElements(addSet(batch, ports), ports, [{ key: be16(80), comment: 'http' }])
  batch.addRule({
    ...{ ...chain, comment: 'hello' },
    expressions: [
      { name: 'meta', key: 'oifname', dreg: 1 },
      { name: 'cmp', sreg: 1, op: 'neq', data: Buffer.from('lo\0') },
      { name: 'payload', dreg: 1, base: 'network', offset: 16, len: 4 },
      { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(10, 0, 0, 1) },
      { name: 'lookup', set: 'ports', sreg: 1, flags: 1 },
      { name: 'counter', packets: 7n, bytes: 420n },
      { name: 'meta', key: 'mark', sreg: 1 },
      { name: 'target', module: 'MARK', revision: 2, info: Buffer.from('39050000ffffffff00000000', 'hex') },
      { name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: 'sub' } },
    ],
  })
  nft.commit(batch)
  expect(await linesOf(nft)).toEqual([
    'nft table ip ex flags 1',
    'nft table ip ex / chain c type filter hook output priority -5 policy drop',
    'nft table ip ex / chain sub comment "reached by jumps"',
    'nft table ip ex / set ports type 13 length 2',
    'nft table ip ex / set ports / 0050 comment "http"',
    'nft table ip ex / chain c / ' +
      'meta oifname, cmp neq "lo", payload network offset 16 len 4, cmp eq 0a000001, not in @ports, counter, ' +
      'meta mark set, target MARK 2 39050000ffffffff…, jump sub comment "hello"',
  ])
})

test("an anonymous set is part of its rule, without the kernel's name", async () => {
  const nft = fakeKernel().open()
  const set = { ...table, set: '__set%d', flags: ['anonymous', 'constant'] as const, keyType: 13, keyLength: 2 }
  const batch = new Batch().addTable(table).addChain(chain)
  for (const setId of [1, 2]) {
    const one = { ...set, setId }
    addElements(addSet(batch, one), one, [{ key: be16(443) }, { key: be16(setId) }])
    batch.addRule({ ...chain, expressions: [{ name: 'lookup', set: set.set, setId, sreg: 1 }] })
  }
  nft.commit(batch)
  expect((await linesOf(nft)).slice(2)).toEqual([
    'nft table ip ex / chain c / in { 0001, 01bb }',
    'nft table ip ex / chain c / in { 0002, 01bb }',
  ])
})

test('empty tables of iptables-nft are ignored, their contents are not', async () => {
  const nft = fakeKernel().open()
  const nat = { family: 'ip', table: 'nat', chain: 'OUTPUT' } as const
  const base = { type: 'nat', hook: 'output', priority: -100 } as const
  nft.commit(new Batch().addTable(nat).addChain({ ...nat, base, policy: 'accept' }))
  expect(await linesOf(nft)).toEqual([])
  nft.commit(new Batch().addChain({ ...nat, policy: 'drop' }).addRule({ ...nat, expressions: [{ name: 'counter' }] }))
  expect(await linesOf(nft)).toEqual([
    'nft table ip nat / chain OUTPUT type nat hook output priority -100 policy drop',
    'nft table ip nat / chain OUTPUT / counter',
  ])
})

test('a kernel without nf_tables gives a reason; other failures are errors', async () => {
  expect(unreadableReason(() => fakeKernel().open())).toBeUndefined()
  expect(unreadableReason(() => fakeKernel({ nftables: false }).open())).toContain('the kernel has no nf_tables')
  expect(() => unreadableReason(() => fakeKernel({ privileged: false }).open())).toThrow('CAP_NET_ADMIN')
})
