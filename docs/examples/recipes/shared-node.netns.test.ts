import { ebpf } from '@cni/ebpf'
import { iptables } from '@cni/iptables'
import { openRtnl, sysctl } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'
import type { Plugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { tempBpffs } from '../../../packages/ebpf/test/bpffs.ts'
import { returning } from '../../../packages/ebpf/test/programs.ts'
import { bandwidth } from './bandwidth.ts'
import { pinnedProgram } from './ebpf.ts'
import { failLast } from './fail-last.ts'
import { portmap } from './portmap.ts'
import { sbr } from './sbr.ts'
import { resultOf, stage } from './stage.ts'
import { tuning } from './tuning.ts'

/** Snapshot of everything that the recipes change, on the node or in a pod. */
async function snapshot(where: Netns) {
  using rtnl = await openRtnl(where)
  const links = await rtnl.getLinks()
  const rules = [await iptables(where).save('ipv4'), await iptables(where).save('ipv6')].join('')
  return {
    links: links.map(({ name, mtu, mac, txqlen, promisc }) => ({ name, mtu, mac, txqlen, promisc })),
    qdiscs: (await rtnl.getQdiscs())
      .filter(({ handle }) => handle !== '0:')
      .map(({ linkIndex, kind, tbf }) => ({ linkIndex, kind, tbf })),
    redirects: (await rtnl.getRedirects()).length,
    filters: await rtnl.getFilters(),
    rules: await rtnl.getRules(),
    routes: (await rtnl.getRoutes()).filter(({ table }) => table !== 255),
    nat: rules
      .split('\n')
      .filter((line) => line.startsWith('-A') || line.startsWith(':PM-'))
      .map((line) => line.replace(/ \[.*/, ''))
      .sort(),
    arp_notify: await sysctl(where).get('net.ipv4.conf.all.arp_notify'),
  }
}

/** Tests that a failed ADD removes only its own changes if another pod's ADD succeeds before the failure. */
async function othersKeepEverything<Conf, State>(
  make: (node: Netns) => Plugin<Conf, true, State>,
  confs: readonly [own: object, other: object],
): Promise<void> {
  // The state after only the other pod's ADD.
  const alone = await (async () => {
    await using machine = await stage(2)
    return await run(machine, false)
  })()
  await using machine = await stage(2)
  const together = await run(machine, true)
  expect(together).toEqual(alone)

  async function run({ node, pods }: Awaited<ReturnType<typeof stage>>, fails: boolean) {
    const [own, other] = pods
    if (!own || !other) throw new Error('no pods')
    const optionsOf = (pod: typeof own, conf: object, containerID: string) =>
      ({ netns: pod.netns, prevResult: resultOf(pod.ipv4, pod.ipv6), conf: { ...conf }, containerID }) as const
    const second = testPlugin(make(node), optionsOf(other, confs[1], 'other-pod'))
    const before = await snapshot(own.netns)
    const add = async () => expect((await second.add()).error).toBeUndefined()
    if (fails) {
      const first = testPlugin(failLast(make(node), add), optionsOf(own, confs[0], 'this-pod'))
      expect((await first.add()).error?.msg).toBe('a later step fails')
    } else await add()
    expect((await second.check()).error).toBeUndefined()
    expect(await snapshot(own.netns)).toEqual(before)
    return [withoutIndexes(await snapshot(node)), withoutMacs(await snapshot(other.netns))]
  }
}

type Snapshot = Awaited<ReturnType<typeof snapshot>>
/** Removes MAC addresses, because the kernel chooses them. */
const withoutMacs = (one: Snapshot) => ({ ...one, links: one.links.map(({ mac: _, ...link }) => link) })
/** Removes link indexes: the failed pod's ifb has used one. */
const withoutIndexes = (one: Snapshot) => ({
  ...withoutMacs(one),
  qdiscs: one.qdiscs.map(({ linkIndex: _, ...qdisc }) => qdisc),
  routes: one.routes.map(({ linkIndex: _, ...route }) => route),
  filters: one.filters.length,
})

test('portmap', async () => {
  const mapping = (hostPort: number) => ({ hostPort, containerPort: 80, protocol: 'tcp' })
  const conf = (hostPort: number) => ({ runtimeConfig: { portMappings: [mapping(hostPort)] } })
  await othersKeepEverything(portmap, [conf(8080), conf(8081)])
})

test('bandwidth', async () => {
  const conf = (rate: number) => ({ runtimeConfig: { bandwidth: { ingressRate: rate, egressRate: rate } } })
  await othersKeepEverything(bandwidth, [conf(8_000_000), conf(16_000_000)])
})

test('sbr', async () => {
  await othersKeepEverything(() => sbr, [{}, {}])
})

test('tuning', async () => {
  const conf = { link: { mtu: 1300, promisc: true, txqlen: 77 }, sysctl: { 'net.ipv4.conf.all.arp_notify': '1' } }
  await othersKeepEverything(() => tuning, [conf, { ...conf, link: { mtu: 1400 } }])
})

test('ebpf', async () => {
  using files = tempBpffs()
  const program = `${files.path}/pass`
  using loaded = ebpf().load({ name: 'pass', instructions: returning(-1), license: 'Apache-2.0' })
  loaded.pin(program)
  await othersKeepEverything(pinnedProgram, [{ program }, { program }])
})
