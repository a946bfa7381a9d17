import { conntrack } from '@cni/netns/conntrack'
import { be32, openNetlink } from '@cni/netns/netlink'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { CT_NEW, conntrackHeader, encodeTuple } from '../src/conntrack/codec.ts'
import type { ConntrackEntry } from '../src/conntrack/entry.ts'
import { protocolNumber } from '../src/conntrack/protocol.ts'
import { NLM_F_CREATE } from '../src/netlink/constants.ts'
import { conntrackBehaviour } from './conntrack.suite.ts'

const CTA_TIMEOUT = 7

/** Request that creates a connection. */
const newEntry = ({ family, protocol, original, reply, timeoutSeconds = 30 }: ConntrackEntry) => {
  const number = protocolNumber(protocol)
  return {
    type: CT_NEW,
    flags: NLM_F_CREATE,
    fixed: conntrackHeader(family),
    attributes: [
      [1, encodeTuple(original, number)],
      [2, encodeTuple(reply, number)],
      [CTA_TIMEOUT, be32(timeoutSeconds)],
    ] as const,
    what: 'Add a connection',
  }
}

conntrackBehaviour('the kernel', async () => {
  const where = await tempNetns()
  const channel = openNetlink(where, 'netfilter')
  return {
    where,
    open: conntrack,
    add: (entry) => void channel.ask(newEntry(entry)),
    async [Symbol.asyncDispose]() {
      channel.close()
      await where[Symbol.asyncDispose]()
    },
  }
})

test('delete removes more connections than one reading holds', async () => {
  await using where = await tempNetns()
  using channel = openNetlink(where, 'netfilter', { receiveBuffer: 4_000_000 })
  for (let host = 0; host < 10_000; host++) {
    const src = `10.${host >> 8}.${host & 255}.1`
    const original = { src, dst: '10.0.0.1', sport: 1000, dport: 53 }
    const reply = { src: '10.0.0.1', dst: src, sport: 53, dport: 1000 }
    channel.ask(newEntry({ family: 'ipv4', protocol: 'udp', original, reply, zone: 0, mark: 0 }))
  }
  expect(await conntrack(where).delete({ protocol: 'udp', original: { dport: 53 } })).toEqual({ deleted: 10_000 })
  expect(await conntrack(where).list()).toEqual([])
})
