import { netns } from '@cni/netns'
import { ownedNetns, tempNetns } from '@cni/netns/testing'
import { Batch, type Expression, openNft } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { thrown } from './behaviour/world.ts'

const chain = { family: 'ip', table: 'ex', chain: 'c' } as const
const begun = () => new Batch().addTable(chain).addChain(chain)

const long = 'x'.repeat(256)
const names: readonly (readonly [where: string, expression: Expression])[] = [
  ['as the chain of a jump', { name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: long } }],
  ['as the set of a lookup', { name: 'lookup', set: long, sreg: 1 }],
  ['as the name of an expression', { name: 'raw', of: long }],
  ['as a log prefix', { name: 'log', prefix: long }],
]

describe('a text of 256 bytes in a rule is refused with its place and the reason', () => {
  test.each(names)('%s', async (_, expression) => {
    await using pod = await tempNetns()
    using nft = openNft(pod)
    const batch = begun().addRule({ ...chain, expressions: [{ name: 'counter' }, expression] })
    const error = thrown(() => nft.commit(batch))
    expect(error.faults).toEqual([
      expect.objectContaining({
        ...{ index: 2, code: 'ERANGE', kind: 'rule', chain: 'c', expression: 1 },
        text: expect.stringMatching(/^Add a rule of chain "c" in table ip "ex": ERANGE at expression 1 .*too long/),
      }),
    ])
    expect(nft.tables()).toEqual([])
  })
})

test('a batch larger than any socket buffer is committed in a namespace of another user namespace', async () => {
  await using pod = await ownedNetns()
  using nft = openNft(pod)
  const batch = begun()
  for (let i = 0; i < 3000; i++) batch.addRule({ ...chain, expressions: [{ name: 'counter' }] })
  expect(batch.bytes().length).toBeGreaterThan(212_992)
  nft.commit(batch)
  expect(nft.rules(chain)).toHaveLength(3000)
})

const hasFfi = process.getBuiltinModule('node:ffi') !== undefined

test.runIf(hasFfi)('without nfnetlink in the kernel the error names the missing module', async () => {
  await using pod = await tempNetns()
  // A seccomp filter: socket(AF_NETLINK, …, NETLINK_NETFILTER) fails as in a kernel without the module.
  const code = `
    import ffi from 'node:ffi'
    import { openCommits, openNft } from '@cni/nftables/wire'
    import { openTraces } from './src/wire/events/traces.ts'
    const { functions } = ffi.dlopen(null, {
      prctl: { arguments: ['int32', 'uint64', 'uint64', 'uint64', 'uint64'], return: 'int32' },
    })
    const LOAD = 0x20, JUMP_IF_EQUAL = 0x15, RETURN = 0x06
    const SOCKET = process.arch === 'x64' ? 41 : 198
    const steps = [
      [LOAD, 0, 0, 0], [JUMP_IF_EQUAL, 0, 5, SOCKET],
      [LOAD, 0, 0, 16], [JUMP_IF_EQUAL, 0, 3, 16],
      [LOAD, 0, 0, 32], [JUMP_IF_EQUAL, 0, 1, 12],
      [RETURN, 0, 0, 0x50000 | 93], [RETURN, 0, 0, 0x7fff0000],
    ]
    const filter = Buffer.alloc(8 * steps.length)
    for (const [i, [code, yes, no, value]] of steps.entries()) {
      filter.set([code, 0, yes, no], 8 * i)
      filter.writeUInt32LE(value, 8 * i + 4)
    }
    const program = Buffer.alloc(16)
    program.writeUInt16LE(steps.length, 0)
    program.writeBigUInt64LE(BigInt(ffi.getRawPointer(filter)), 8)
    functions.prctl(38, 1n, 0n, 0n, 0n)
    if (functions.prctl(22, 2n, BigInt(ffi.getRawPointer(program)), 0n, 0n) !== 0) throw new Error('no filter')
    for (const open of [openNft, openCommits, openTraces]) {
      try { open('host') } catch (error) { process.stdout.write(error.name + ' ' + error.code + ' ' + error.message + '\\n') }
    }`
  const argv = [...NODE, '--input-type=module', '--eval', code] as const
  const { stdout } = await netns.exec(pod, argv, { cwd: new URL('..', import.meta.url).pathname })
  expect(stdout.trim().split('\n')).toEqual(
    Array(3).fill('NftError UNSUPPORTED The kernel has no nfnetlink: it needs the module nfnetlink'),
  )
})
