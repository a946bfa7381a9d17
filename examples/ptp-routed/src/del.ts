import { ipam, ipamType } from '@cni/invoke'
import type { DelContext, GcContext } from '@cni/skel'
import type { Conf, Kept } from './conf.ts'
import type { Place } from './place.ts'

/** Removes the veth pair before the lease, because another pod could get the released address. */
export async function detach(c: DelContext<Conf, Kept>, place: Place): Promise<void> {
  const known = c.state.read()
  if (known !== undefined) await unplug(place, [known])
  if (ipamType(c.raw) !== undefined) await ipam(c, place.delegates).del()
}

/** Removes the veth pair and IPAM lease of each attachment that GC does not list as valid. */
export async function collect(c: GcContext<Conf, Kept>, place: Place): Promise<void> {
  const stale = c.state.stale()
  await unplug(
    place,
    stale.map(({ state }) => state),
  )
  const { kind } = await ipam(c, place.delegates).gc()
  if (kind === 'done') return
  // Calls DEL for each invalid attachment, because the IPAM plugin does not support GC.
  for (const { containerID, ifName } of stale) {
    const env = { ...c.env, CNI_CONTAINERID: containerID, CNI_IFNAME: ifName, CNI_NETNS: '' }
    await ipam({ ...c, env }, place.delegates).del()
  }
}

async function unplug({ openRtnl, node }: Place, cables: readonly Kept[]): Promise<void> {
  if (cables.length === 0) return
  using onNode = await openRtnl(node)
  for (const { hostLink } of cables) await onNode.deleteLink(hostLink)
}
