import { ebpf, supportsFilters } from '@cni/ebpf'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EbpfNode, ebpfNode } from './ebpf-node.ts'
import { kernelWithout } from './older-kernel.ts'

let on: EbpfNode
beforeEach(async () => {
  on = await ebpfNode()
})
afterEach(() => on[Symbol.asyncDispose]())

test('without sk_assign sockets are found by rules, and queries cannot be captured, which is said', async () => {
  using _ = kernelWithout('sk_assign')
  expect(ebpf().features()).toEqual({ skcLookup: true, skAssign: false })
  expect(() => on.newSide('tproxy')).toThrow(
    expect.objectContaining({ code: 'NOT_SUPPORTED', message: expect.stringContaining('has no helper') }),
  )
  const side = on.newSide()
  expect(side.objects.variant).toBe('mark')
  await expect(side.start(on.node.ztunnel)).rejects.toMatchObject({ code: 'NO_SK_ASSIGN' })
  expect(await on.hooksOf('vzt')).toEqual([])
  await side.start({ ...on.node.ztunnel, dnsCapture: false })
  await side.addPod(on.podOf('app'))
  expect([await on.hooksOf('vapp'), await side.drift()]).toEqual([['app_inbound', 'app_outbound'], []])
  await side.stop()
  expect(await on.hooksOf('vapp')).toEqual([])
})

test.each([
  ['clsact', /Attach \w+ to \d+ \(ingress\): the kernel has no clsact \(CONFIG_NET_SCH_INGRESS/],
  ['cls_bpf', /Attach \w+ to \d+ \(ingress\): the kernel has no filters of kind bpf \(CONFIG_NET_CLS_BPF\)/],
] as const)(
  'without %s a ztunnel, and a pod, are refused by what is missing, and nothing is left',
  async (missing, message) => {
    const side = on.newSide()
    const refused = { code: 'NOT_SUPPORTED', message: expect.stringMatching(message) }
    const traces = async () => [
      await on.hooksOf('vzt'),
      await on.hooksOf('vapp'),
      (await on.node.rtnl.getQdiscs()).filter(({ kind }) => kind === 'clsact').length,
      side.objects.maps.ztunnel_info.get(0).ifindex,
      await side.listPods(),
    ]
    const before = await traces()
    {
      using _ = kernelWithout(missing)
      expect(await supportsFilters()).toBe(false)
      await expect(side.start(on.node.ztunnel)).rejects.toMatchObject(refused)
      expect(await traces()).toEqual(before)
    }
    await side.start(on.node.ztunnel)
    const started = await traces()
    {
      using _ = kernelWithout(missing)
      await expect(side.addPod(on.podOf('app'))).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(new RegExp(message.source.replace('ingress', 'egress'))),
      })
    }
    expect(await traces()).toEqual(started)
    await side.stop()
  },
)
