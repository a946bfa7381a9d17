import { openRtnl } from '@cni/netns'
import { testPlugin } from '@cni/skel/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bandwidth } from './bandwidth.ts'
import { resultOf, stage } from './stage.ts'

describe('bandwidth', () => {
  let machine: Awaited<ReturnType<typeof stage>>
  beforeEach(async () => {
    machine = await stage(1)
  })
  afterEach(() => machine[Symbol.asyncDispose]())

  const tester = (limits: object) => {
    const [pod] = machine.pods
    if (!pod) throw new Error('no pod')
    const conf = { runtimeConfig: { bandwidth: limits } }
    return testPlugin(bandwidth(machine.node), { netns: pod.netns, prevResult: resultOf(pod.ipv4), conf })
  }
  const tbfs = async () => {
    using rtnl = await openRtnl(machine.node)
    return (await rtnl.getQdiscs()).flatMap(({ tbf }) => tbf ?? [])
  }

  test.each([
    ['containerd: the largest 32-bit burst', { ingressBurst: 0xffffffff, egressBurst: 0xffffffff }],
    ['CRI-O: the largest signed 32-bit burst', { ingressBurst: 0x7fffffff, egressBurst: 0x7fffffff }],
    ['no burst', {}],
    ['a burst of 0', { ingressBurst: 0, egressBurst: 0 }],
  ])('%s works from a kilobit to 100 Gbit/s', async (_, bursts) => {
    for (const rate of [1000, 1_000_000, 1_000_000_000, 100_000_000_000]) {
      const plugin = tester({ IngressRate: rate, EgressRate: rate, ...bursts })
      expect((await plugin.add()).error).toBeUndefined()
      expect((await plugin.check()).error).toBeUndefined()
      expect((await tbfs()).map(({ bitsPerSecond }) => bitsPerSecond)).toEqual([rate, rate])
    }
    expect((await tester({}).del()).error).toBeUndefined()
  })

  test('a second ADD changes the rates, and removes a limit', async () => {
    const first = tester({ ingressRate: 8_000_000, egressRate: 16_000_000 })
    const second = tester({ ingressRate: 80_000_000 })
    await first.add()
    expect((await second.check()).error).toMatchObject({ code: 100, msg: expect.stringContaining('to eth0: tbf is') })
    expect((await second.add()).error).toBeUndefined()
    expect((await second.check()).error).toBeUndefined()
    expect((await tbfs()).map(({ bitsPerSecond }) => bitsPerSecond)).toEqual([80_000_000])
    expect((await first.check()).error?.code).toBe(100)
    expect((await tester({}).add()).error).toBeUndefined()
    expect(await tbfs()).toEqual([])
    expect((await tester({}).check()).error).toBeUndefined()
  })

  test('CHECK detects a missing qdisc, ifb and redirection', async () => {
    const plugin = tester({ ingressRate: 8_000_000, egressRate: 8_000_000 })
    using rtnl = await openRtnl(machine.node)
    const takeAway = [
      () => rtnl.deleteQdisc({ kind: 'tbf', link: 'veth0' }),
      () => rtnl.deleteQdisc({ kind: 'ingress', link: 'veth0' }),
      async () => {
        for (const { kind, index } of await rtnl.getLinks()) if (kind === 'ifb') await rtnl.deleteLink(index)
      },
    ]
    for (const change of takeAway) {
      await plugin.add()
      expect((await plugin.check()).error).toBeUndefined()
      await change()
      expect((await plugin.check()).error?.code).toBe(100)
    }
  })

  test('a clsact qdisc of another plugin stays, and packets are redirected from it', async () => {
    using rtnl = await openRtnl(machine.node)
    await rtnl.addQdisc({ kind: 'clsact', link: 'veth0' })
    const plugin = tester({ egressRate: 8_000_000 })
    expect((await plugin.add()).error).toBeUndefined()
    expect((await plugin.check()).error).toBeUndefined()
    expect((await plugin.del()).error).toBeUndefined()
    expect((await rtnl.getQdiscs({ link: 'veth0' })).map(({ kind }) => kind)).toContain('clsact')
  })
})
