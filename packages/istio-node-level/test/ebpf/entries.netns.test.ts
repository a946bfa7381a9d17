import { execFileSync } from 'node:child_process'
import { attachFilter } from '@cni/ebpf'
import { netns } from '@cni/netns'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addresses, type PtpNode } from '../ptp-node.ts'
import { type EbpfNode, ebpfNode } from './ebpf-node.ts'

let on: EbpfNode
let node: PtpNode
let newSide: EbpfNode['newSide']
let podOf: EbpfNode['podOf']
let hooksOf: EbpfNode['hooksOf']
beforeEach(async () => {
  on = await ebpfNode()
  ;({ node, newSide, podOf, hooksOf } = on)
})
afterEach(() => on[Symbol.asyncDispose]())

const podHooks = ['app_inbound', 'app_outbound']

test('removal of a pod whose entry was deleted by another program is final', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  await side.addPod(podOf('srv'))
  for (const name of ['app', 'srv'] as const) side.objects.maps.app_info.delete(addresses[name])
  expect(await side.removePod('app')).toEqual([])
  expect(await hooksOf('vapp')).toEqual([])
  expect(await side.drift()).toEqual([`missing ${addresses.srv} of pod srv`])
  expect(await side.retainPods(new Set(['other']))).toEqual([])
  expect(await hooksOf('vsrv')).toEqual([])
  expect(await side.heal()).toEqual({ changed: [], warnings: [] })
  expect(await side.listPods()).toEqual([])
  await side.stop()
})

test('heal() removes an entry without a UID and the programs of its link', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  const taken = side.objects.maps.app_info.get(addresses.app)
  if (taken === undefined) throw new Error('The pod has no entry')
  await side.removePod('app')
  side.objects.maps.app_info.set(addresses.app, taken)
  for (const [name, direction] of [
    ['app_inbound', 'egress'],
    ['app_outbound', 'ingress'],
  ] as const) {
    const program = side.objects.programs.get(name)
    if (program !== undefined) await attachFilter(node.rtnl, { link: 'vapp', direction, program, name })
  }
  expect(await hooksOf('vapp')).toEqual(podHooks)
  expect((await side.heal()).changed).toEqual([`unexpected ${addresses.app} of pod (unknown)`])
  expect(await hooksOf('vapp')).toEqual([])
  expect(await side.listPods()).toEqual([])
  await side.stop()
})

test('a pod whose old entry cannot be deleted keeps that entry only', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  const moved = { uid: 'app', addresses: ['10.60.0.77'], netns: await node.pod('moved', '10.60.0.77') }
  const failing = vi.spyOn(side.objects.maps.app_info, 'delete').mockImplementationOnce(() => {
    throw new Error('no more')
  })
  await expect(side.addPod(moved)).rejects.toThrow('no more')
  failing.mockRestore()
  expect(await side.listPods()).toEqual([{ address: addresses.app, uid: 'app' }])
  expect([await hooksOf('vapp'), await hooksOf('vmoved')]).toEqual([podHooks, []])
  expect(await side.drift()).toEqual([])
  expect((await side.addPod(moved)).changed).toContain(`${addresses.app} no more of app`)
  expect([await hooksOf('vapp'), await hooksOf('vmoved')]).toEqual([[], podHooks])
  await side.stop()
})

test('a pod that the node cannot reach is captured, with a warning about its probes', async () => {
  await using bridged = await ebpfNode('bridge')
  const side = bridged.newSide()
  await side.start(bridged.node.ztunnel)
  await bridged.node.rtnl.deleteAddress('cni0', `${addresses.node}/16`)
  const { warnings } = await side.addPod(bridged.podOf('app'))
  expect(warnings).toEqual([expect.stringContaining(`does not reach ${addresses.app} of pod app`)])
  expect(await side.drift()).toEqual([])
  expect(await side.listPods()).toEqual([{ address: addresses.app, uid: 'app' }])
  await side.stop()
})

test('a pod whose link disappears during enrolment causes NO_LINK and leaves no entry', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('srv'))
  const { app_info } = side.objects.maps
  const { set } = app_info
  const going = vi.spyOn(app_info, 'set').mockImplementationOnce((...entry) => {
    netns.run(node.at.node, () => execFileSync('ip', ['link', 'del', 'vapp']))
    set(...entry)
  })
  await expect(side.addPod(podOf('app'))).rejects.toMatchObject({ name: 'EbpfError', code: 'NO_LINK' })
  going.mockRestore()
  expect(await side.listPods()).toEqual([{ address: addresses.srv, uid: 'srv' }])
  expect(await side.drift()).toEqual([])
  await side.stop()
})

test('start() detaches programs whose entry was deleted while no agent ran, and enrolment attaches them again', async () => {
  const before = newSide()
  await before.start(node.ztunnel)
  await before.addPod(podOf('app'))
  await before.addPod(podOf('srv'))
  before.objects.maps.app_info.delete(addresses.app)
  before[Symbol.dispose]()
  const side = newSide()
  expect((await side.start(node.ztunnel)).changed).toEqual([
    expect.stringMatching(/^no address is captured on link \d+ \(vapp\), which has programs$/),
  ])
  expect([await hooksOf('vapp'), await hooksOf('vsrv')]).toEqual([[], podHooks])
  expect(await side.start(node.ztunnel)).toEqual({ changed: [], warnings: [] })
  await side.addPod(podOf('app'))
  expect([await hooksOf('vapp'), await side.drift()]).toEqual([podHooks, []])
  await side.stop()
})

test('start() names a bridge without an address of the node, and leaves nothing', async () => {
  await using bridged = await ebpfNode('bridge')
  await bridged.node.rtnl.deleteAddress('cni0', `${addresses.node}/16`)
  const side = bridged.newSide()
  await expect(side.start(bridged.node.ztunnel)).rejects.toMatchObject({
    code: 'NO_ROUTE',
    message: expect.stringMatching(
      /no route to 10\.60\.0\.2 of ztunnel istio-system\/ztunnel-1, or no source address.*isGateway/,
    ),
  })
  expect(await bridged.hooksOf('vzt')).toEqual([])
  await side.stop()
})

test('drift() reads programs only after kernel events, and sees changes of programs, pins and maps at once', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  const { maps } = side.objects
  const looked = vi.spyOn(maps.host_ip_info, 'get')
  const looks = async (): Promise<readonly [drift: readonly string[], whole: boolean]> => {
    looked.mockClear()
    const drift = await side.drift()
    return [drift, looked.mock.calls.length > 0]
  }
  expect(await looks()).toEqual([[], true])
  expect(await looks()).toEqual([[], false])
  maps.app_info.delete(addresses.app)
  expect(await looks()).toEqual([[`missing ${addresses.app} of pod app`], false])
  await side.heal()
  const before = maps.ztunnel_info.get(0)
  maps.ztunnel_info.set(0, { ...before, ifindex: 99 })
  expect((await side.drift())[0]).toMatch(/^pods are directed to link 99, not to ztunnel on link \d+$/)
  await side.heal()
  expect(await looks()).toEqual([[], false])
  await node.rtnl.deleteQdisc({ kind: 'clsact', linkIndex: (await node.rtnl.getLink('vapp'))?.index ?? 0 })
  expect(await looks()).toEqual([
    [expect.stringContaining('app_inbound'), expect.stringContaining('app_outbound')],
    true,
  ])
  await side.heal()
  await side.stop()
})
