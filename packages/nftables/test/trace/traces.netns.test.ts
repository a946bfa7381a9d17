import { netns, openRtnl } from '@cni/netns'
import type { NetlinkSocket } from '@cni/netns/netlink'
import { Batch } from '@cni/nftables/wire'
import { beforeEach, describe, expect, test } from 'vitest'
import { openTraces, type Trace, traceOn, traces } from '../../src/wire/events/traces.ts'
import { eachPod } from '../each-pod.ts'

const here = eachPod()
beforeEach(async () => {
  using rtnl = await openRtnl(here.pod)
  await rtnl.setLinkUp('lo')
})

const begin = { family: 'inet', table: 'trace', chain: 'output' } as const
const traced = () =>
  new Batch()
    .addTable(begin)
    .addChain({ ...begin, base: { type: 'filter', hook: 'output', priority: -350 } })
    .addRule({ ...begin, expressions: traceOn })

/** Sends packets to UDP port 9, and returns the traced steps up to a given one. */
async function tracesOf(isLast: (trace: Trace) => boolean, packets = 1): Promise<Trace[]> {
  using socket = openTraces(here.pod)
  await send(packets)
  return await collect(socket, isLast)
}

const send = (packets: number, family = 4) =>
  netns.exec(here.pod, [
    'bash',
    '-c',
    `for ((i = 0; i < ${packets}; i++)); do echo hello > /dev/udp/${family === 4 ? '127.0.0.1' : '::1'}/9; done 2>&-; true`,
  ])

async function collect(socket: NetlinkSocket, isLast: (trace: Trace) => boolean): Promise<Trace[]> {
  const found: Trace[] = []
  for await (const trace of traces(socket, { signal: AbortSignal.timeout(10_000), interval: 1 })) {
    found.push(trace)
    if (isLast(trace)) return found
  }
  throw new Error(`The step was not reported within 10 s, only ${found.length} others`)
}

const isStep = (trace: Trace): trace is Exclude<Trace, { readonly step: 'lost' }> => trace.step !== 'lost'
const inTable = (table: string) => (trace: Trace) => isStep(trace) && trace.table === table
const words = ({ table, chain, step, handle, verdict }: Exclude<Trace, { readonly step: 'lost' }>) =>
  `${table} ${chain} ${step}${handle === undefined ? '' : ` ${handle}`} ${Object.values(verdict ?? {}).join(' ')}`

describe('traces of a packet', () => {
  test('report each step: rules with handles, jumps, ends of chains, policies', async () => {
    const ex = { family: 'ip', table: 'ex' } as const
    const udp = [
      { name: 'meta', key: 'l4proto', dreg: 1 },
      { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(17) },
    ] as const
    const tcp = [udp[0], { ...udp[1], data: Uint8Array.of(6) }] as const
    const verdict = (data: { verdict: 'accept' | 'return' } | { verdict: 'jump' | 'goto'; chain: string }) =>
      ({ name: 'immediate', dreg: 0, data }) as const
    here.nft.commit(
      traced()
        .addTable(ex)
        .addChain({ ...ex, chain: 'sub' })
        .addChain({ ...ex, chain: 'other' })
        .addChain({ ...ex, chain: 'out', base: { type: 'filter', hook: 'output', priority: 5 } })
        .addRule({ ...ex, chain: 'out', expressions: [...tcp, verdict({ verdict: 'accept' })] })
        .addRule({ ...ex, chain: 'out', expressions: [...udp, { name: 'counter' }] })
        .addRule({ ...ex, chain: 'out', expressions: [...udp, verdict({ verdict: 'jump', chain: 'sub' })] })
        .addRule({ ...ex, chain: 'out', expressions: [...udp, verdict({ verdict: 'goto', chain: 'other' })] })
        .addRule({ ...ex, chain: 'other', expressions: [verdict({ verdict: 'return' })] }),
    )
    const [, counter, jump, go] = here.nft.rules({ ...ex, chain: 'out' }).map(({ handle }) => handle)
    const [back] = here.nft.rules({ ...ex, chain: 'other' }).map(({ handle }) => handle)
    const [on] = here.nft.rules(begin).map(({ handle }) => handle)
    const found = (await tracesOf((each) => each.step === 'policy' && each.table === 'ex')).filter(isStep)
    expect(found.map(words)).toEqual([
      `trace output rule ${on} continue`,
      'trace output end continue',
      'trace output policy accept',
      `ex out rule ${counter} continue`,
      `ex out rule ${jump} jump sub`,
      'ex sub end continue',
      `ex out rule ${go} goto other`,
      `ex other rule ${back} return`,
      'ex out policy accept',
    ])
    expect(new Set(found.map(({ id }) => id)).size).toBe(1)
    expect(found.map(({ family }) => family)).toEqual([...Array(3).fill('inet'), ...Array(6).fill('ip')])
  })

  test("begin with the packet's data", async () => {
    here.nft.commit(traced().addRule({ ...begin, expressions: [{ name: 'counter' }] }))
    const [first] = (await tracesOf(inTable('trace'))).filter(isStep)
    const { network, transport, oif, protocol } = first?.packet ?? {}
    expect({ protocol, oif }).toEqual({ protocol: 2, oif: 1 })
    // A UDP packet from 127.0.0.1 to 127.0.0.1, port 9.
    expect([network?.[9], Buffer.from(network ?? []).toString('hex', 12)]).toEqual([17, '7f0000017f000001'])
    expect(Buffer.from(transport ?? []).readUInt16BE(2)).toBe(9)
  })

  test('report IPv6 packets', async () => {
    here.nft.commit(traced())
    using socket = openTraces(here.pod)
    await send(1, 6)
    const [first] = (await collect(socket, inTable('trace'))).filter(isStep)
    expect([first?.family, first?.packet?.protocol, (first?.packet?.network?.[0] ?? 0) >> 4]).toEqual(['inet', 10, 6])
  })

  test('end at the rule that drops the packet', async () => {
    const rule = { ...begin, expressions: [{ name: 'immediate', dreg: 0, data: { verdict: 'drop' } }] as const }
    here.nft.commit(traced().addRule(rule))
    const [, drop] = here.nft.rules(begin)
    const found = await tracesOf((each) => isStep(each) && each.verdict?.verdict === 'drop')
    expect(found.filter(isStep).map(words).at(-1)).toBe(`trace output rule ${drop?.handle} drop`)
  })

  test('report rules of iptables-nft with their handles', async () => {
    const add = (...argv: string[]) => netns.exec(here.pod, ['iptables-nft', '-w', '-t', 'mangle', ...argv])
    await add('-N', 'MARKED')
    await add('-A', 'OUTPUT', '-p', 'tcp', '-j', 'DROP')
    await add('-A', 'OUTPUT', '-p', 'udp', '-m', 'udp', '--dport', '9', '-j', 'MARKED')
    await add('-A', 'MARKED', '-j', 'MARK', '--set-xmark', '0x7/0xffffffff')
    await add(
      '-A',
      'MARKED',
      '-p',
      'udp',
      '-m',
      'multiport',
      '--dports',
      '9,10',
      '-j',
      'NFQUEUE',
      '--queue-num',
      '3',
      '--queue-bypass',
    )
    here.nft.commit(traced())
    const handles = (chain: string) =>
      here.nft.rules({ family: 'ip', table: 'mangle', chain }).map(({ handle }) => handle)
    const [mark, queue] = handles('MARKED')
    const found = await tracesOf((each) => isStep(each) && each.table === 'mangle' && each.handle === queue)
    expect(found.filter(isStep).filter(inTable('mangle')).map(words)).toEqual([
      `mangle OUTPUT rule ${handles('OUTPUT')[1]} jump MARKED`,
      `mangle MARKED rule ${mark} continue`,
      `mangle MARKED rule ${queue} queue`,
    ])
  })
})

test('without a rule that turns on tracing nothing is reported', async () => {
  using socket = openTraces(here.pod)
  await send(3)
  here.nft.commit(traced())
  await send(1)
  const found = await collect(socket, (each) => each.step === 'policy')
  expect(found.filter(isStep).map(({ step }) => step)).toEqual(['rule', 'end', 'policy'])
})

test('steps that do not fit into the socket are reported as lost, later steps are reported', async () => {
  here.nft.commit(traced())
  using socket = openTraces(here.pod, { receiveBuffer: 4096 })
  await send(50)
  const found = await collect(socket, ({ step }) => step === 'lost')
  expect(found.at(-1)).toEqual({ step: 'lost' })
  await send(1)
  expect((await collect(socket, ({ step }) => step === 'policy')).filter(isStep).at(-1)).toMatchObject({
    step: 'policy',
  })
})
