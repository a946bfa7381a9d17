import { netns } from '@cni/netns'
import { be16, u32 } from '@cni/netns/netlink'
import { type BaseChain, Batch, type Expression, isNftError } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { eachPod } from '../each-pod.ts'

const here = eachPod()

const meta = (key: 'l4proto'): Expression => ({ name: 'meta', key, dreg: 1 })
const cmp = (data: Uint8Array): Expression => ({ name: 'cmp', sreg: 1, op: 'eq', data })
const counter: Expression = { name: 'counter' }
const info = (size: number, ...parts: readonly (readonly [at: number, bytes: Uint8Array])[]) => {
  const bytes = Buffer.alloc(size)
  for (const [at, part] of parts) bytes.set(part, at)
  return bytes
}
const match = (module: string, revision: number, bytes: Uint8Array): Expression => ({
  ...{ name: 'match', module, revision, info: bytes },
})
const target = (module: string, revision: number, bytes: Uint8Array): Expression => ({
  ...{ name: 'target', module, revision, info: bytes },
})
const TCP = [meta('l4proto'), cmp(Uint8Array.of(6))]
const OUTPUT: BaseChain = { type: 'nat', hook: 'output', priority: -100 }
const PREROUTING: BaseChain = { type: 'filter', hook: 'prerouting', priority: -150 }

/** iptables arguments, with the expressions of their rule. */
const rows: {
  readonly table: 'nat' | 'mangle'
  readonly base: BaseChain
  readonly args: string
  readonly protocol: number
  readonly expressions: readonly Expression[]
}[] = [
  {
    ...{ table: 'nat', base: OUTPUT, protocol: 6, args: '-p tcp -j REDIRECT --to-ports 15001' },
    expressions: [
      ...TCP,
      counter,
      target('REDIRECT', 0, info(24, [0, u32(1)], [4, u32(2)], [16, be16(15001)], [18, be16(15001)])),
    ],
  },
  {
    ...{ table: 'nat', base: OUTPUT, protocol: 0, args: '-m owner --uid-owner 1337 -j RETURN' },
    expressions: [
      match('owner', 1, info(24, [0, u32(1337)], [4, u32(1337)], [16, Uint8Array.of(1)])),
      counter,
      { name: 'immediate', dreg: 0, data: { verdict: 'return' } },
    ],
  },
  {
    ...{ table: 'nat', base: OUTPUT, protocol: 6, args: '-p tcp -m multiport --dports 80,90:95 -j ACCEPT' },
    expressions: [
      ...TCP,
      match('multiport', 1, multiport()),
      counter,
      { name: 'immediate', dreg: 0, data: { verdict: 'accept' } },
    ],
  },
  {
    ...{ table: 'mangle', base: PREROUTING, protocol: 6 },
    args: '-p tcp -m socket --transparent -j MARK --set-xmark 0x539/0xffffffff',
    expressions: [
      ...TCP,
      match('socket', 3, info(8, [0, Uint8Array.of(1)])),
      counter,
      target('MARK', 2, info(8, [0, u32(1337)], [4, u32(0xffffffff)])),
    ],
  },
  {
    ...{ table: 'mangle', base: PREROUTING, protocol: 6 },
    args: '-p tcp -m conntrack --ctstate RELATED,ESTABLISHED -j TPROXY --on-port 15006 --tproxy-mark 0x539/0xffffffff',
    expressions: [
      ...TCP,
      match('conntrack', 3, info(168, [146, Uint8Array.of(1, 0)], [150, Uint8Array.of(6, 0)])),
      counter,
      target('TPROXY', 1, info(32, [0, u32(0xffffffff)], [4, u32(1337)], [24, be16(15006)])),
    ],
  },
  {
    ...{ table: 'mangle', base: PREROUTING, protocol: 0, args: '-m comment --comment hello' },
    expressions: [match('comment', 0, info(256, [0, Buffer.from('hello')])), counter],
  },
]

function multiport() {
  const ports = [80, 90, 95].map((port, i) => [2 + 2 * i, Uint8Array.of(port, port >> 8)] as const)
  return info(48, [0, Uint8Array.of(1, 3)], ...ports, [33, Uint8Array.of(1)])
}

describe('our xt expressions give the bytes of the rule that iptables-nft writes', () => {
  test.each(rows)('$table: $args', async ({ table, base, args, protocol, expressions }) => {
    const builtin = base.hook.toUpperCase()
    const chain = { family: 'ip', table, chain: builtin } as const
    const argv = ['iptables-nft', '-w', '-t', table, '-A', builtin, ...args.split(' ')] as const
    await netns.exec(here.pod, argv)
    const [theirs] = here.nft.rules(chain)
    if (theirs === undefined) throw new Error('iptables-nft wrote no rule')

    here.nft.commit(new Batch().flush(chain).addRule({ ...chain, expressions, compat: { protocol, inverted: false } }))
    const [ours] = here.nft.rules(chain)
    expect(ours?.expressions).toEqual(theirs.expressions)
    expect(ours?.bytes.toString('hex')).toBe(theirs.bytes.toString('hex'))
    await netns.exec(here.pod, ['iptables-nft', '-w', '-t', table, '-C', builtin, ...args.split(' ')])
    await netns.exec(here.pod, ['iptables-nft', '-w', '-t', table, '-D', builtin, ...args.split(' ')])
    expect(here.nft.rules(chain)).toEqual([])
  })

  test('xt rules in a table that iptables has not made are listed by iptables-nft-save', async () => {
    const chain = { family: 'ip', table: 'nat', chain: 'OUTPUT' } as const
    const batch = new Batch().addTable(chain).addChain({ ...chain, base: OUTPUT, policy: 'accept' })
    for (const { table, protocol, expressions } of rows) {
      if (table === 'nat') batch.addRule({ ...chain, expressions, compat: { protocol, inverted: false } })
    }
    here.nft.commit(batch)
    const { stdout } = await netns.exec(here.pod, ['iptables-nft-save', '-t', 'nat'])
    expect(stdout.split('\n').filter((line) => line.startsWith('-A'))).toEqual([
      '-A OUTPUT -p tcp -j REDIRECT --to-ports 15001',
      '-A OUTPUT -m owner --uid-owner 1337 -j RETURN',
      '-A OUTPUT -p tcp -m multiport --dports 80,90:95 -j ACCEPT',
    ])
  })
})

test.each([
  ['match', match('nosuch', 0, info(8)), 'no xt match "nosuch", revision 0'],
  ['target', target('NOSUCH', 0, info(8)), 'no xt target "NOSUCH", revision 0'],
])('an xt %s that the kernel does not have is named in the error', (_, expression, reason) => {
  const chain = { family: 'ip', table: 'ex', chain: 'c' } as const
  const batch = new Batch().addTable(chain).addChain(chain)
  const error = thrown(() => here.nft.commit(batch.addRule({ ...chain, expressions: [counter, expression] })))
  if (!isNftError(error)) throw error
  expect(error.code).toBe('REFUSED')
  expect(error.faults).toEqual([
    expect.objectContaining({ index: 2, code: 'ENOENT', kind: 'rule', chain: 'c', expression: 1 }),
  ])
  expect(error.message).toContain(reason)
  expect(here.nft.tables()).toEqual([])
})

function thrown(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
