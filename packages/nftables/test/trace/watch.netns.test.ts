import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { netns, openRtnl } from '@cni/netns'
import { base, chain, nftRuleset } from '@cni/nftables/rules'
import { monitor, tracePackets } from '@cni/nftables/watch'
import { Batch } from '@cni/nftables/wire'
import { beforeEach, describe, expect, test } from 'vitest'
import { NODE_FLAGS } from '../../../../test/node.ts'
import { addRuleset } from '../../src/encode/encode-table.ts'
import { eachPod } from '../each-pod.ts'

type PacketEvent = ReturnType<typeof tracePackets> extends AsyncGenerator<infer Event> ? Event : never

const here = eachPod()
beforeEach(async () => {
  using rtnl = await openRtnl(here.pod)
  await rtnl.setLinkUp('lo')
})

const rules = nftRuleset('inet', { ex: { out: base('filter', 'output', 0), sub: chain } }, (t) => [
  t.ex.on('out').udp('dport', [9, 10]).counter().jump('sub'),
  t.ex.on('sub').skuid(4711).drop(),
])
const ours = { family: 'inet', table: 'ex' } as const
const limit = () => AbortSignal.timeout(15_000)
const send = () => netns.exec(here.pod, ['bash', '-c', 'echo hello > /dev/udp/127.0.0.1/9 2>&-; true'])
const tables = () => here.nft.tables().map(({ table }) => table)

/** The next event, which must exist. */
async function next<T>(events: AsyncGenerator<T, void, void>): Promise<T> {
  const { value, done } = await events.next()
  if (done === true || value === undefined) throw new Error('It ended')
  return value
}

describe('tracePackets', () => {
  async function upTo(isLast: (event: PacketEvent) => boolean): Promise<PacketEvent[]> {
    const found: PacketEvent[] = []
    const events = tracePackets(here.pod, { only: [{ kind: 'l4proto', value: 'udp' }], signal: limit() })
    const first = events.next()
    await send()
    const { value } = await first
    if (value) found.push(value)
    if (!value || !isLast(value)) {
      for await (const event of events) {
        found.push(event)
        if (isLast(event)) break
      }
    } else await events.return()
    return found
  }

  test("reports each step in nft's words", async () => {
    here.nft.commit(addRuleset(new Batch(), rules))
    const found = await upTo((event) => event.step === 'policy')
    const words = found.map((event) => (event.step === 'lost' ? event.text : event.text.replace(/^\S+ | \(.*\)$/g, '')))
    expect(words).toEqual([
      'inet ex out: rule udp dport { 9, 10 } counter jump sub → jump sub',
      'inet ex sub: end → continue',
      'inet ex out: end → continue',
      'inet ex out: policy → accept',
    ])
    const [first] = found
    expect(first?.step === 'lost' ? undefined : first?.packet).toMatchObject({
      ...{ protocol: 17, source: '127.0.0.1', destination: '127.0.0.1', dport: 9 },
    })
    expect(tables()).toEqual(['ex'])
  })

  test('reports rules of iptables-nft', async () => {
    await netns.exec(here.pod, ['iptables-nft', '-w', '-t', 'mangle', '-A', 'OUTPUT', '-p', 'udp', '-j', 'ACCEPT'])
    const found = await upTo((event) => event.step === 'rule')
    expect(found.map((event) => (event.step === 'lost' ? event : event.rule))).toEqual([
      'meta l4proto udp counter accept',
    ])
  })

  test('deletes its table when the reader throws', async () => {
    const reading = (async () => {
      const events = tracePackets(here.pod, { signal: limit() })
      for await (const _ of events) throw new Error('the reader')
    })()
    const ended = expect(reading).rejects.toThrow('the reader')
    await expect.poll(tables, { timeout: 10_000 }).toHaveLength(1)
    here.nft.commit(addRuleset(new Batch(), rules))
    await send()
    await ended
    expect(tables()).toEqual(['ex'])
  })

  test('owns its table: no other program can delete it', async () => {
    const stop = new AbortController()
    const ended = tracePackets(here.pod, { signal: stop.signal }).next()
    const [table] = here.nft.tables()
    expect(table).toMatchObject({ flags: 2, owner: expect.any(Number) })
    const take = () => here.nft.commit(new Batch().deleteTable({ family: 'inet', table: table?.table ?? '' }))
    expect(take).toThrow(/another program owns the table/)
    stop.abort()
    expect(await ended).toEqual({ done: true, value: undefined })
    expect(tables()).toEqual([])
  })

  test('leaves no table when the process is killed', async () => {
    const program = new URL('../fixtures/trace-and-die.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [...NODE_FLAGS, program, here.pod.path], { stdio: 'pipe' })
    const exit = once(child, 'exit')
    await expect.poll(tables, { timeout: 20_000 }).toHaveLength(1)
    child.kill('SIGKILL')
    await exit
    await expect.poll(tables, { timeout: 10_000 }).toEqual([])
  })

  test('ends and deletes its table when the signal is aborted', async () => {
    const stop = new AbortController()
    const ended = tracePackets(here.pod, { signal: stop.signal }).next()
    expect(tables()).toHaveLength(1)
    stop.abort()
    expect(await ended).toEqual({ done: true, value: undefined })
    expect(tables()).toEqual([])
  })

  test('refuses contradicting conditions, and leaves no table', async () => {
    const only = [
      { kind: 'tcp dport', value: 1 },
      { kind: 'udp dport', value: 1 },
    ] as const
    await expect(tracePackets(here.pod, { only }).next()).rejects.toMatchObject({ code: 'INVALID' })
    expect(tables()).toEqual([])
  })
})

test("monitor reports changes in nft's words, with the program that made them", async () => {
  const events = monitor(here.pod, { signal: limit() })
  const first = events.next()
  await netns.exec(here.pod, ['nft', 'add', 'table', 'inet', 'ex'])
  expect((await first).value).toMatchObject({ program: 'nft', lost: false, changes: ['add table inet ex'] })
  const handles = () => here.nft.rules(ours).map(({ handle }) => handle)
  here.nft.commit(addRuleset(new Batch(), rules))
  const [one, two] = handles()
  expect((await next(events)).changes).toEqual([
    'add chain inet ex out { type filter hook output priority filter; policy accept; }',
    'add chain inet ex sub',
    `add rule inet ex out udp dport { 9, 10 } counter packets 0 bytes 0 jump sub # handle ${one}`,
    `add rule inet ex sub meta skuid 4711 drop # handle ${two}`,
  ])
  await netns.exec(here.pod, ['nft', 'add set inet ex s { type ipv4_addr; flags interval; elements = { 10.0.0.0/8 } }'])
  expect((await next(events)).changes).toEqual([
    'add set inet ex s { type ipv4_addr; flags interval; }',
    'add element inet ex s { 10.0.0.0/8 }',
  ])
  here.nft.commit(new Batch().deleteRule({ ...ours, chain: 'out', handle: one ?? 0n }))
  expect((await next(events)).changes).toEqual([
    `delete rule inet ex out udp dport { 9, 10 } counter packets 0 bytes 0 jump sub # handle ${one}`,
  ])
  here.nft.commit(new Batch().deleteTable(ours))
  const gone = (await next(events)).changes
  expect(gone).toEqual(
    expect.arrayContaining(['delete set inet ex s', 'delete chain inet ex sub', 'delete table inet ex']),
  )
  await events.return()
})
