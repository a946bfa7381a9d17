import { readdirSync, readFileSync } from 'node:fs'
import { type Netns, netns } from '@cni/netns'
import {
  attributeMap,
  type Channel,
  cString,
  encodeMessage,
  events,
  MessageWriter,
  openNetlink,
  openNetlinkSocket,
  readBe32,
  u32,
  watchReadable,
} from '@cni/netns/netlink'
import { loadSys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST } from '../src/netlink/constants.ts'
import { addChain, addRule, batchOf, deleteChain, getGeneration, listRules } from './nft-batch.ts'

const RTM_NEWLINK = 16
const RTM_DELLINK = 17
const RTM_GETLINK = 18
const RTM_NEWADDR = 20
const RTM_GETADDR = 22
const IFINFOMSG = new Uint8Array(16)
const NFNLGRP_NFTABLES = 7

let pod: Netns & AsyncDisposable
let route: Channel
let nft: Channel
beforeEach(async () => {
  pod = await tempNetns()
  route = openNetlink(pod, 'route', { strict: true })
  nft = openNetlink(pod, 'netfilter', { receiveBuffer: 4_000_000 })
})
afterEach(async () => {
  route.close()
  nft.close()
  await pod[Symbol.asyncDispose]()
})

const generation = () => readBe32(attributeMap(nft.get(getGeneration).body, 4).get(1)) ?? Number.NaN
const addBridge = (name: string) => ({
  type: RTM_NEWLINK,
  flags: NLM_F_CREATE | NLM_F_EXCL,
  fixed: IFINFOMSG,
  attributes: [
    [3, cString(name)],
    [18, [[1, cString('bridge')]]],
  ] as const,
  what: `Add ${name}`,
})
const names = () =>
  route
    .dump({ type: RTM_GETLINK, fixed: IFINFOMSG, what: 'List links' })
    .map(({ body }) => attributeMap(body, 16).get(3)?.toString('utf8').replace('\0', ''))

describe('requests', () => {
  test('are answered in the namespace of the channel, from inside and outside', () => {
    route.ask(addBridge('only-here'))
    expect(names()).toContain('only-here')
    expect(netns.run(pod, names)).toContain('only-here')
    using host = openNetlink('host', 'route')
    const find = { type: RTM_GETLINK, fixed: IFINFOMSG, attributes: [[3, cString('only-here')]] as const, what: 'Find' }
    expect(() => host.get(find)).toThrow(expect.objectContaining({ code: 'ENODEV', message: 'Find: ENODEV' }))
  })

  test("contain the kernel's explanation and the offset of the error if they are refused", () => {
    const request = {
      type: RTM_NEWADDR,
      flags: NLM_F_CREATE,
      fixed: Buffer.from('0218000001000000', 'hex'),
      // An IPv4 address of three bytes.
      attributes: [
        [8, u32(0)],
        [2, Uint8Array.of(10, 0, 0)],
      ] as const,
      what: 'Add an address',
    }
    expect(() => route.ask(request)).toThrow(
      expect.objectContaining({
        name: 'NetnsError',
        code: 'ERANGE',
        message: expect.stringMatching(/^Add an address: ERANGE, \w+/),
        refusal: expect.objectContaining({ errno: 34, offset: 16 + 8 + 8 }),
      }),
    )
  })

  test('for a table contain the explanation if they are refused', () => {
    const request = {
      type: RTM_GETADDR,
      fixed: new Uint8Array(8),
      attributes: [[2, Uint8Array.of(10, 0, 0, 1)]] as const,
      what: 'List addresses',
    }
    expect(() => route.dump(request)).toThrow(
      expect.objectContaining({ code: 'EINVAL', message: expect.stringMatching(/^List addresses: EINVAL, \w+/) }),
    )
  })

  test('for a long table return all datagrams', async () => {
    const input = Array.from({ length: 75 }, (_, i) => `link add a${i} type veth peer name b${i}\n`).join('')
    await netns.exec(pod, ['ip', '-batch', '-'], { input })
    expect(names()).toHaveLength(151)
  })

  test('in one datagram are acknowledged one by one', () => {
    const writer = new MessageWriter()
    const flags = NLM_F_REQUEST | NLM_F_ACK
    for (const name of ['a', 'b', 'a', 'c']) {
      const { type, flags: more, fixed, attributes } = addBridge(name)
      writer
        .begin(type, flags | more, fixed)
        .attributes(attributes)
        .end()
    }
    writer.begin(RTM_DELLINK, flags, IFINFOMSG).string(3, 'never').end()
    const outcome = route.exchange(writer.take(), 'Add links')
    expect(outcome).toMatchObject({ acknowledged: true, lost: false, replies: [] })
    expect(outcome.refusals.map(({ index, code }) => [index, code])).toEqual([
      [2, 'EEXIST'],
      [4, 'ENODEV'],
    ])
    expect(names()).toEqual(['lo', 'a', 'b', 'c'])
  })

  test('are refused with EPERM for an unprivileged user', async () => {
    const code = `
      import { openNetlink } from '@cni/netns/netlink'
      using channel = openNetlink('host', 'netfilter')
      process.setuid(65534)
      const request = { type: 0x0a10, fixed: new Uint8Array(4), what: 'Ask' }
      try { channel.get(request) } catch (error) { process.stdout.write(error.message) }`
    const cwd = new URL('..', import.meta.url).pathname
    const argv = [...NODE, '--input-type=module', '--eval', code] as const
    const { stdout } = await netns.exec(pod, argv, { cwd })
    expect(stdout).toBe('Ask: EPERM (needs root: CAP_NET_ADMIN)')
  })
})

describe('a batch', () => {
  test('is committed as a whole', async () => {
    const before = generation()
    const outcome = nft.exchange(
      batchOf((writer) => {
        addChain(writer)
        for (let i = 0; i < 3; i++) addRule(writer)
      }),
      'Add rules',
    )
    expect(outcome).toMatchObject({ refusals: [], lost: false })
    expect(generation()).toBe(before + 1)
    expect(nft.dump(listRules, { consistent: true })).toHaveLength(3)
    const { stdout } = await netns.exec(pod, ['nft', 'list', 'ruleset'])
    expect(stdout.match(/counter packets 0 bytes 0/g)).toHaveLength(3)
  })

  test('changes nothing if it is refused, and reports every error with its message and offset', () => {
    const before = generation()
    const { refusals, lost } = nft.exchange(
      batchOf((writer) => {
        addChain(writer)
        addRule(writer)
        addRule(writer, 'nowhere')
        addRule(writer)
        deleteChain(writer, 'never')
      }),
      'Change rules',
    )
    expect(lost).toBe(false)
    expect(refusals).toEqual([
      expect.objectContaining({ index: 4, errno: 2, code: 'ENOENT' }),
      // Offset after two headers and the table's name.
      expect.objectContaining({ index: 6, errno: 2, code: 'ENOENT', offset: 16 + 4 + 8 }),
    ])
    // Inside the nested expression, after table and chain.
    expect(refusals[0]?.offset).toBeGreaterThan(16 + 4 + 8 + 8)
    expect(generation()).toBe(before)
  })

  test('is sent even if it is larger than the send buffer', () => {
    const batch = batchOf((writer) => {
      addChain(writer)
      for (let i = 0; i < 5000; i++) addRule(writer)
    })
    expect(batch.length).toBeGreaterThan(212_992)
    expect(nft.exchange(batch, 'Add 5000 rules')).toMatchObject({ refusals: [], lost: false })
    expect(nft.dump(listRules)).toHaveLength(5000)
  })

  test('reports `lost` if its errors exceed the buffer, and the next one is unaffected', () => {
    using small = openNetlink(pod, 'netfilter', { receiveBuffer: 1 })
    const faults = batchOf((writer) => {
      for (let i = 0; i < 500; i++) deleteChain(writer, 'never')
    })
    const outcome = small.exchange(faults, 'Delete chains')
    expect(outcome.lost).toBe(true)
    expect(outcome.refusals.length).toBeLessThan(500)
    const one = small.exchange(
      batchOf((writer) => deleteChain(writer, 'never')),
      'Delete a chain',
    )
    expect([one.lost, one.refusals.map(({ index }) => index)]).toEqual([false, [1]])
  })

  test('is refused at once if the generation is not the expected one', () => {
    const now = generation()
    const guarded = (expected: number) => nft.exchange(batchOf(addChain, { generation: expected }), 'Add a chain')
    expect(guarded(now + 7).refusals).toEqual([expect.objectContaining({ index: 0, errno: 85, code: 'ERESTART' })])
    expect(guarded(now).refusals).toEqual([])
  })
})

describe.each([
  ['looked for', { interval: 1 }],
  ['told by the kernel', { watch: watchReadable }],
])('events, %s,', (_, options) => {
  test('name the socket that made the change', { timeout: 10_000 }, async () => {
    using socket = openNetlinkSocket(pod, 'netfilter', { groups: [NFNLGRP_NFTABLES] })
    nft.exchange(batchOf(addChain), 'Add a chain')
    const commits: boolean[] = []
    let others: Promise<unknown> | undefined
    for await (const { messages, lost } of events(socket, options)) {
      expect(lost).toBe(false)
      const ends = messages.filter(({ type }) => type === 0x0a0f)
      commits.push(...ends.map(({ port }) => port === nft.port()))
      if (commits.length === 2) break
      others ??= netns.exec(pod, ['nft', 'add', 'table', 'inet', 'other'])
    }
    await others
    expect(commits).toEqual([true, false])
  })

  test('report `lost` after an overflow, and later events arrive', {
    timeout: 10_000,
  }, async () => {
    using socket = openNetlinkSocket(pod, 'netfilter', { groups: [NFNLGRP_NFTABLES], receiveBuffer: 1 })
    nft.exchange(
      batchOf((writer) => {
        addChain(writer)
        for (let i = 0; i < 200; i++) addRule(writer)
      }),
      'Add rules',
    )
    let lostOnes = 0
    for await (const { messages, lost } of events(socket, options)) {
      if (lost) {
        lostOnes++
        nft.exchange(batchOf(addRule), 'Add a rule')
      } else if (lostOnes > 0 && messages.some(({ type }) => type === 0x0a0f)) break
    }
    expect(lostOnes).toBe(1)
  })
})

test("the port equals the one in the kernel's list of sockets", async () => {
  const { stdout } = await netns.exec(pod, ['cat', '/proc/net/netlink'])
  const ports = stdout.split('\n').map((line) => Number(line.trim().split(/\s+/)[2]))
  expect(ports).toEqual(expect.arrayContaining([route.port(), nft.port()]))
  expect(route.port()).not.toBe(0)
})

test("a datagram of another process is not taken for the kernel's answer", () => {
  const sys = loadSys()
  const forged = encodeMessage({ type: 2, flags: 0x100, fixed: Buffer.concat([u32(-1), new Uint8Array(16)]) })
  const to = Buffer.alloc(12)
  to.writeUInt16LE(16, 0)
  to.writeUInt32LE(route.port(), 4)
  using stranger = openNetlinkSocket(pod, 'route')
  // Sequence number of the next request: the first request has asked for the port.
  forged.writeUInt32LE(2, 8)
  sys.sendto(stranger.fd, forged, 0, to)
  expect(route.ask(addBridge('b0'))).toEqual([])
  expect(names()).toContain('b0')
})

test('a closed channel throws CLOSED, and can be closed again', () => {
  route.close()
  route.close()
  expect(names).toThrow(
    expect.objectContaining({ code: 'CLOSED', message: 'List links: the netlink socket is closed' }),
  )
})

test('leave closes the socket in the kernel and leaves nothing in this process', async () => {
  const open = readdirSync('/proc/self/fd').length
  const left = openNetlink(pod, 'netfilter')
  const port = left.port()
  const there = () => netns.run(pod, () => readFileSync('/proc/thread-self/net/netlink', 'utf8')).includes(` ${port} `)
  expect(there()).toBe(true)
  left.leave()
  expect(() => left.port()).not.toThrow()
  expect(() => left.get(getGeneration)).toThrow('the netlink socket is closed')
  expect(readdirSync('/proc/self/fd')).toHaveLength(open)
  await expect.poll(there, { timeout: 10_000 }).toBe(false)
})
