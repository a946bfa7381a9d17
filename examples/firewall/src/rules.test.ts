import { type TraceMatchers, traceMatchers } from '@cni/iptables/testing'
import { describe, expect, it } from 'vitest'
import { type Entry, parseEntry } from './entry.ts'
import { firewall } from './rules.ts'

declare global {
  // biome-ignore lint/style/noNamespace: vitest takes the types of matchers from this namespace
  namespace Chai {
    interface Assertion extends TraceMatchers {}
  }
}
expect.extend(traceMatchers)

const entries = (...texts: readonly string[]): Entry[] => texts.flatMap((text) => parseEntry(text) ?? [])
const rules = firewall('eth0', {
  deny: entries('tcp 80 from 10.9.0.0/16'),
  allow: entries('tcp 80', 'udp 53', 'icmp', 'tcp 8443 from fd00::/8'),
  otherwise: 'deny',
})

describe('a pod that denies by default', () => {
  it.each([
    'tcp 10.1.2.3:80 from 10.8.0.1:4000 in eth0 state NEW',
    'tcp [fd00::3]:80 from [2001:db8::1]:4000 in eth0 state NEW',
    'udp 10.1.2.3:53 from 10.9.0.1:4000 in eth0 state NEW',
    'icmp 10.1.2.3 type 8/0 from 10.8.0.1 in eth0 state NEW',
    'tcp [fd00::3]:8443 from [fd00::1]:4000 in eth0 state NEW',
    // Neighbour solicitation, which IPv6 requires.
    'icmpv6 fd00::3 type 135/0 from fd00::1 in eth0 state UNTRACKED',
    // Responses to connections of the pod.
    'tcp 10.1.2.3:40000 from 192.0.2.1:443 in eth0 state ESTABLISHED',
    // Connections of its own processes, and of its other interfaces.
    'tcp 127.0.0.1:22 from 127.0.0.1:4000 in lo state NEW',
    'tcp 10.1.2.3:22 from 10.8.0.1:4000 in net1 state NEW',
  ])('lets %s in', (packet) => {
    expect(rules).toPass(packet)
  })

  it.each([
    'tcp 10.1.2.3:80 from 10.9.0.1:4000 in eth0 state NEW',
    'tcp 10.1.2.3:22 from 10.8.0.1:4000 in eth0 state NEW',
    'tcp [fd00::3]:8443 from [2001:db8::1]:4000 in eth0 state NEW',
    'udp [fd00::3]:5353 from [fd00::1]:4000 in eth0 state NEW',
  ])('rejects %s', (packet) => {
    expect(rules).toBlock(packet, { by: 'REJECT' })
  })
})

it('a pod that allows by default rejects only denied packets', () => {
  const open = firewall('eth0', { deny: entries('tcp 22'), allow: entries('tcp 22'), otherwise: 'allow' })
  expect(open).toBlock('tcp 10.1.2.3:22 from 10.8.0.1:4000 in eth0 state NEW', { by: 'REJECT' })
  expect(open).toPass('tcp 10.1.2.3:23 from 10.8.0.1:4000 in eth0 state NEW')
})
