import { isNetnsError, type NewLink, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'

/** New link of every supported kind with all options; `v0` is the parent. */
export const oneOfEach: readonly NewLink[] = [
  { kind: 'dummy', name: 'x0', mtu: 1400, mac: '02:00:00:00:00:01', txqlen: 9 },
  { kind: 'ifb', name: 'x0', txqlen: 40 },
  {
    kind: 'bridge',
    name: 'x0',
    mac: '02:00:00:00:00:01',
    bridge: {
      ageingSeconds: 20,
      forwardDelaySeconds: 4,
      helloSeconds: 3,
      maxAgeSeconds: 12,
      priority: 9,
      multicastSnooping: false,
      groupForwardMask: 8,
    },
  },
  { kind: 'veth', name: 'x0', mtu: 1400, peer: { name: 'x1', mtu: 1300, mac: '02:00:00:00:00:02', txqlen: 5 } },
  { kind: 'vlan', name: 'x0', parent: 'v0', vlan: { id: 100, protocol: '802.1q' } },
  { kind: 'vlan', name: 'x0', parent: 'v0', vlan: { id: 4094, protocol: '802.1ad' } },
  { kind: 'macvlan', name: 'x0', parent: 'v0', mac: '02:00:00:00:00:03', macvlan: { mode: 'bridge' } },
  { kind: 'macvlan', name: 'x0', parent: 'v0', macvlan: { mode: 'private' } },
  { kind: 'ipvlan', name: 'x0', parent: 'v0', ipvlan: { mode: 'l2', isolation: 'private' } },
  { kind: 'ipvlan', name: 'x0', parent: 'v0', ipvlan: { mode: 'l3s', isolation: 'bridge' } },
  {
    kind: 'vxlan',
    name: 'x0',
    parent: 'v0',
    vxlan: {
      id: 7,
      remote: '10.9.0.2',
      local: '10.9.0.1',
      port: 4789,
      learning: false,
      ageingSeconds: 60,
      ttl: 5,
      udpChecksum: true,
    },
  },
  { kind: 'vxlan', name: 'x0', vxlan: { id: 0xffffff, remote: 'fd00::2', local: 'fd00::1', port: 8472 } },
  { kind: 'geneve', name: 'x0', geneve: { id: 7, remote: '10.9.0.2', port: 6081, ttl: 5, udpChecksum: true } },
  { kind: 'geneve', name: 'x0', geneve: { id: 8, remote: 'fd00::2', port: 6082 } },
]

/**
 * Finds the link kinds that this kernel lacks. The set also contains `vlanFiltering` if the kernel's bridges have no
 * VLANs.
 */
export async function lackingKinds(): Promise<ReadonlySet<string>> {
  const lacking = new Set<string>()
  await using pod = await tempNetns()
  using rtnl = await openRtnl(pod)
  await rtnl.addLink({ kind: 'veth', name: 'v0', peer: { name: 'v1' } })
  const unlessKnown = async (kind: string, link: NewLink) => {
    try {
      await rtnl.addLink(link)
      await rtnl.deleteLink(link.name)
    } catch (error) {
      if (!isNetnsError(error) || error.code !== 'EOPNOTSUPP') throw error
      lacking.add(kind)
    }
  }
  for (const link of oneOfEach) if (!lacking.has(link.kind)) await unlessKnown(link.kind, link)
  await unlessKnown('vlanFiltering', { kind: 'bridge', name: 'x0', bridge: { vlanFiltering: true } })
  return lacking
}
