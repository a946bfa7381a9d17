import { iptables } from '@cni/iptables'
import { openRtnl } from '@cni/netns'
import { conntrack } from '@cni/netns/conntrack'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, test } from 'vitest'
import { failLast } from './fail-last.ts'
import { portmap } from './portmap.ts'
import { answerUdp, askUdp, resultOf, stage } from './stage.ts'

const udp = { hostPort: 53, containerPort: 5300, protocol: 'udp' }
const conf = (...portMappings: readonly object[]) => ({ runtimeConfig: { portMappings } })

describe('portmap', () => {
  test('maps the ports of an IPv4, an IPv6 and a dual-stack pod', async () => {
    await using machine = await stage(3)
    const { node, pods } = machine
    const [pod, client, loner] = pods
    if (!pod || !client || !loner) throw new Error('no pods')
    await using _ = await answerUdp(pod.netns, 5300, 'from the pod')
    for (const addresses of [[pod.ipv4], [pod.ipv6], [pod.ipv4, pod.ipv6]]) {
      const tester = testPlugin(portmap(node), {
        netns: pod.netns,
        prevResult: resultOf(...addresses),
        conf: conf(udp),
      })
      expect((await tester.add()).error).toBeUndefined()
      expect((await tester.check()).error).toBeUndefined()
      const [v4, v6] = [await askUdp(client.netns, '10.81.0.1', 53), await askUdp(client.netns, 'fd00:1::1', 53)]
      expect([v4, v6].map((answer) => answer === 'from the pod')).toEqual(
        [pod.ipv4, pod.ipv6].map((address) => addresses.includes(address)),
      )
      expect((await tester.del()).error).toBeUndefined()
    }
  })

  test('maps a port of one address of the node, and of that address only', async () => {
    await using machine = await stage(2)
    const { node, pods } = machine
    const [pod, client] = pods
    if (!pod || !client) throw new Error('no pods')
    using rtnl = await openRtnl(node)
    await rtnl.addAddress('lo', '10.99.0.1/32')
    await rtnl.addAddress('lo', 'fd99::1/128')
    await using _ = await answerUdp(pod.netns, 5300, 'from the pod')
    for (const [hostIP, other] of [
      ['10.99.0.1', '10.81.0.1'],
      ['FD99:0::1', 'fd00:1::1'],
    ] as const) {
      const mapping = { ...udp, hostIP }
      const options = { netns: pod.netns, prevResult: resultOf(pod.ipv4, pod.ipv6), conf: conf(mapping) }
      const tester = testPlugin(portmap(node), options)
      expect((await tester.add()).error).toBeUndefined()
      expect((await tester.check()).error).toBeUndefined()
      expect(await askUdp(client.netns, hostIP, 53)).toBe('from the pod')
      expect(await askUdp(client.netns, other, 53)).not.toBe('from the pod')
      await tester.del()
    }
  })

  test.each([
    ['0.0.0.0', ['ipv4']],
    ['::', ['ipv6']],
    ['', ['ipv4', 'ipv6']],
  ] as const)('hostIP %j opens the port in %j', async (hostIP, families) => {
    await using machine = await stage(1)
    const [pod] = machine.pods
    if (!pod) throw new Error('no pod')
    const tester = testPlugin(portmap(machine.node), {
      netns: pod.netns,
      prevResult: resultOf(pod.ipv4, pod.ipv6),
      conf: conf({ HostPort: 8080, ContainerPort: 80, Protocol: 'TCP', HostIP: hostIP }),
    })
    expect((await tester.add()).error).toBeUndefined()
    for (const family of ['ipv4', 'ipv6'] as const) {
      const opens = (await iptables(machine.node).save(family)).includes('--to-destination')
      expect(opens).toBe(families.some((each) => each === family))
    }
  })

  test.each([
    [{ ...udp, protocol: 'SCTP' }, 'hostPort 53/sctp of every address: SCTP is not supported; map TCP or UDP'],
    [{ ...udp, hostIP: '127.0.0.1' }, 'hostPort 53/udp of 127.0.0.1: a loopback address cannot be mapped'],
    [{ ...udp, hostIP: '::1' }, 'a loopback address cannot be mapped'],
    [{ ...udp, hostIP: 'fd99::1' }, 'the pod has no ipv6 address'],
    [{ ...udp, hostIP: 'eth0' }, 'hostIP: expected an IP address, got "eth0"'],
    [{ ...udp, hostPort: 65_536 }, 'hostPort'],
  ])('rejects %j and writes nothing', async (mapping, says) => {
    await using machine = await stage(1)
    const [pod] = machine.pods
    if (!pod) throw new Error('no pod')
    const options = { netns: pod.netns, prevResult: resultOf(pod.ipv4), conf: conf(udp, mapping) }
    const { error } = await testPlugin(portmap(machine.node), options).add()
    expect(error?.code).toBe(7)
    expect(`${error?.msg} ${error?.details ?? ''}`).toContain(says)
    expect(await iptables(machine.node).save('ipv4')).not.toContain('PM-')
  })

  test('a UDP client that keeps sending reaches the pod that has the port now', async () => {
    await using machine = await stage(3)
    const { node, pods } = machine
    const [a, b, client] = pods
    if (!a || !b || !client) throw new Error('no pods')
    await using _a = await answerUdp(a.netns, 5300, 'from a')
    await using _b = await answerUdp(b.netns, 5300, 'from b')
    await using _node = await answerUdp(node, 53, 'from the node')
    for (const [host, address] of [
      ['10.82.0.1', 'ipv4'],
      ['fd00:2::1', 'ipv6'],
    ] as const) {
      const on = (pod: typeof a, containerID: string) => {
        const options = { netns: pod.netns, prevResult: resultOf(pod[address]), conf: conf(udp), containerID }
        return {
          tester: testPlugin(portmap(node), options),
          failing: testPlugin(failLast(portmap(node), meanwhile), options),
        }
      }
      const ask = () => askUdp(client.netns, host, 53)
      const answers: string[] = []
      const meanwhile = async () => void answers.push(await ask())
      expect(await ask()).toBe('from the node')
      expect((await on(a, 'a').failing.add()).error?.msg).toBe('a later step fails')
      expect([...answers, await ask()]).toEqual(['from a', 'from the node'])
      await on(a, 'a').tester.add()
      expect(await ask()).toBe('from a')
      await on(a, 'a').tester.del()
      expect(await ask()).toBe('from the node')
      await on(b, 'b').tester.add()
      expect(await ask()).toBe('from b')
      await on(b, 'b').tester.del()
    }
  })

  test('connections to the same port of other addresses stay', async () => {
    await using machine = await stage(3)
    const { node, pods } = machine
    const [a, b, client] = pods
    if (!a || !b || !client) throw new Error('no pods')
    await using _ = await answerUdp(b.netns, 53, 'from b')
    expect(await askUdp(client.netns, b.ipv4, 53)).toBe('from b')
    const others = { protocol: 'udp', original: { dst: b.ipv4, dport: 53 } } as const
    // The node tracks forwarded packets only if rules need that.
    const tester = testPlugin(portmap(node), { netns: a.netns, prevResult: resultOf(a.ipv4), conf: conf(udp) })
    await tester.add()
    expect(await askUdp(client.netns, b.ipv4, 53)).toBe('from b')
    expect(await conntrack(node).list(others)).toHaveLength(1)
    await tester.add()
    await tester.del()
    expect(await conntrack(node).list(others)).toHaveLength(1)
  })
})
