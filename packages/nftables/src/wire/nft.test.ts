import { channelFrom, type NetlinkSocket } from '@cni/netns/netlink'
import { describe, expect, test } from 'vitest'
import { fakeKernel } from '../testing/fake-kernel.ts'
import { Batch } from './batch/batch.ts'
import { nftFrom } from './nft.ts'
import { isNftError, NftError } from './nft-error.ts'

const chain = { family: 'ip', table: 'ex', chain: 'c' } as const
const begun = () => new Batch().addTable(chain).addChain(chain)

function thrown(act: () => unknown): NftError {
  try {
    act()
  } catch (error) {
    if (isNftError(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}

describe('without the privilege or without nf_tables, every call reports it', () => {
  test.each([
    [{ privileged: false }, 'DENIED', /EPERM.*needs root: CAP_NET_ADMIN/],
    [{ nftables: false }, 'UNSUPPORTED', /the kernel has no nf_tables: it needs the module nf_tables$/],
  ] as const)('%o', async (options, code, message) => {
    const nft = fakeKernel(options).open()
    for (const act of [() => nft.generation(), () => nft.rules(), () => nft.commit(begun())]) {
      expect(thrown(act)).toMatchObject({ code, message: expect.stringMatching(message) })
    }
    const expected = { code, message: expect.stringMatching(message) }
    await expect(nft.transact(() => {})).rejects.toMatchObject(expected)
  })
})

describe('the error of a refusal has the reason', () => {
  test.each([
    [
      'ids of users from another user namespace',
      'EINVAL',
      { name: 'match', module: 'owner', revision: 1, info: new Uint8Array(24) },
      'ids of users and groups are taken only from the user namespace that owns the network namespace',
    ],
    ['only the errno is known', 'ENOMEM', { name: 'counter' }, 'ENOMEM'],
  ] as const)('%s', (_, code, expression, reason) => {
    const kernel = fakeKernel({ fail: ({ what }) => (what === 'add rule' ? code : undefined) })
    const error = thrown(() => kernel.open().commit(begun().addRule({ ...chain, expressions: [expression] })))
    expect(error.faults).toEqual([
      expect.objectContaining({ code, text: expect.stringMatching(new RegExp(`${reason}$`)) }),
    ])
  })

  test('a refusal of the whole commit is explained', () => {
    const kernel = fakeKernel()
    const failing: NetlinkSocket = {
      ...kernel.nfnetlink(),
      send(datagram) {
        // A refusal of the batch's first message with errno 12 (ENOMEM)
        const answer = Buffer.from('24000000020000010000000000000000f4ffffff14000000100000000000000000000000', 'hex')
        Buffer.from(datagram).copy(answer, 8, 8, 12)
        waiting.push(answer)
      },
      receive: () => waiting.shift() ?? 'none',
      close: () => {},
      leave: () => {},
    }
    const waiting: Buffer[] = []
    const error = thrown(() => nftFrom(channelFrom(failing)).commit(begun()))
    expect(error).toMatchObject({ code: 'REFUSED', faults: [{ index: -1, code: 'ENOMEM', text: 'The batch: ENOMEM' }] })
  })
})

test('a dump that other processes always interrupt throws CHANGED', () => {
  const kernel = fakeKernel()
  kernel.open().commit(begun())
  const socket = kernel.nfnetlink()
  const nft = nftFrom(
    channelFrom({
      fd: -1,
      send: (datagram) => socket.send(datagram),
      receive() {
        const next = socket.receive()
        // NLM_F_DUMP_INTR
        if (typeof next !== 'string') next[6] = (next[6] ?? 0) | 0x10
        return next
      },
      close: () => {},
      leave: () => {},
      [Symbol.dispose]: () => {},
    }),
  )
  expect(thrown(() => nft.chains()).code).toBe('CHANGED')
})

test('an empty batch is not sent', () => {
  const kernel = fakeKernel()
  kernel.open().commit(new Batch())
  expect(kernel.sent).toEqual([])
})

test('a closed Nft throws CLOSED, and can be closed again', () => {
  const nft = fakeKernel().open()
  nft.close()
  nft.close()
  expect(() => nft.generation()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})

test('an NftError of another copy of the package is recognised', () => {
  expect(isNftError(Object.assign(new Error('x'), { [Symbol.for('cni.nftables.error')]: true }))).toBe(true)
  expect(isNftError(new Error('x'))).toBe(false)
  expect(new NftError('INVALID', 'x')).toMatchObject({ name: 'NftError', faults: [] })
})
