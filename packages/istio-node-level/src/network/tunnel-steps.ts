import { isNetnsError, type Link, type NewLink, type RtnlPort } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { TunnelKind } from '../names.ts'
import { tunnelKinds, tunnels } from '../names.ts'
import { NodeLevelError } from '../node-level-error.ts'
import type { Step } from '../step.ts'
import type { WantedTunnel } from './network-plan.ts'
import type { RollbackNetworkPorts } from './network-ports.ts'
import { tunnelText } from './network-text.ts'

/** Returns steps that create or correct tunnels. {@link remoteSteps} sets the remote addresses of existing tunnels. */
export async function tunnelSteps(ports: RollbackNetworkPorts, wanted: readonly WantedTunnel[]): Promise<Step[]> {
  const { rtnl } = ports
  const [links, addresses] = await Promise.all([rtnl.getLinks(), rtnl.getAddresses({ family: 'ipv4' })])
  return wanted.flatMap((tunnel) => {
    const { name, cidr } = tunnel
    const link = links.find((each) => each.name === name)
    if (link === undefined) return [{ what: `missing tunnel ${tunnelText(tunnel)}`, run: () => make(rtnl, tunnel) }]
    refuseOtherProgram(link)
    const other = tunnelDifference(link, tunnel)
    if (other !== undefined) return [{ what: other, run: () => recreate(ports, link, tunnel) }]
    const has = addresses.some((each) => each.linkIndex === link.index && each.cidr === cidr)
    return [
      ...(has ? [] : [{ what: `missing address ${cidr} on ${name}`, run: () => rtnl.addAddress(name, cidr) }]),
      ...(link.up ? [] : [{ what: `tunnel ${name} is down`, run: () => rtnl.setLinkUp(name) }]),
    ]
  })
}

/**
 * Returns steps that set the tunnels' remote address to ztunnel's address. Connections through the tunnels continue.
 */
export async function remoteSteps(rtnl: RtnlPort, wanted: readonly WantedTunnel[]): Promise<Step[]> {
  const links = await rtnl.getLinks()
  return wanted.flatMap(({ name, kind, remote }) => {
    const link = links.find((each) => each.name === name)
    const there = link === undefined ? undefined : endOf(link)
    if (there === undefined || there.remote === remote) return []
    const what = `tunnel ${name} has the remote address ${there.remote ?? 'none'}, not ${remote}`
    return [{ what, run: () => rtnl.setLink(name, { [kind]: { remote } }) }]
  })
}

/** Deletes all IPv4 neighbour entries (ARP cache) of some links. */
export async function forgetNeighbours(rtnl: RtnlPort, names: readonly string[]): Promise<void> {
  for (const link of names) {
    for (const neighbour of await rtnl.getNeighbours({ link, family: 'ipv4' })) await rtnl.deleteNeighbour(neighbour)
  }
}

/** Deletes the tunnels of the node or of ztunnel's namespace. */
export async function removeTunnels(rtnl: RtnlPort, side: 'node' | 'ztunnel'): Promise<void> {
  for (const link of await rtnl.getLinks()) if (isTunnelOf(link, side)) await rtnl.deleteLink(link)
}

/** True if a link is one of the tunnels of the node or of ztunnel's namespace. */
export function isTunnelOf({ name, kind }: Link, side: 'node' | 'ztunnel'): boolean {
  return (
    [tunnels.inbound, tunnels.outbound].some((each) => each[side][0] === name) &&
    tunnelKinds.some((each) => each === kind)
  )
}

// internal

/** Returns the identifier (VNI), port and remote address of a tunnel link. */
const endOf = ({ geneve, vxlan }: Link) => geneve ?? vxlan

function refuseOtherProgram({ name, kind = 'hardware' }: Link): void {
  if (tunnelKinds.some((each) => each === kind)) return
  throw new NodeLevelError(
    'FOREIGN',
    `There is a link ${name} that is not a tunnel (${kind}): another program created it; rename or delete it`,
  )
}

/** Describes the difference that requires a new tunnel, or returns `undefined`. */
function tunnelDifference(link: Link, { name, kind, id, port }: WantedTunnel): string | undefined {
  if (link.kind !== kind) return `tunnel ${name} is ${link.kind}, not ${kind}`
  const end = endOf(link)
  if (end?.id !== id) return `tunnel ${name} has the identifier ${end?.id}, not ${id}`
  return end.port === port ? undefined : `tunnel ${name} has the port ${end.port}, not ${port}`
}

async function make(rtnl: RtnlPort, { name, kind, id, remote, port, cidr }: WantedTunnel): Promise<void> {
  const end = { id, remote, port }
  const link: NewLink = kind === 'geneve' ? { name, kind, geneve: end } : { name, kind, vxlan: end }
  try {
    await rtnl.addLink(link)
    await rtnl.addAddress(name, cidr)
    await rtnl.setLinkUp(name)
  } catch (error) {
    throw explained(error, kind, port)
  }
}

async function recreate(
  { rtnl, settings, undo }: RollbackNetworkPorts,
  link: Link,
  tunnel: WantedTunnel,
): Promise<void> {
  const routes = (await rtnl.getRoutes({ family: 'ipv4', link })).filter(({ gateway }) => gateway !== undefined)
  const addresses = await rtnl.getAddresses({ family: 'ipv4', link })
  const setting = `net/ipv4/conf/${link.name}/accept_local`
  const value = (await settings.get(setting)) ?? ''
  // Adds blackhole routes first, because packets for the missing tunnel must not take another route.
  for (const { cidr, table } of routes) {
    await rtnl.addRoute({ family: 'ipv4', cidr, table, type: 'blackhole', metric: 0xffffffff })
  }
  // The rollback step of `make` deletes the new tunnel. That step runs before this rollback step.
  undo(async () => {
    await rtnl.addLink({ ...link, up: true })
    for (const { cidr } of addresses) await rtnl.addAddress(link.name, cidr)
    await settings.set(setting, value)
    for (const { linkIndex: _, ...route } of routes) await rtnl.replaceRoute({ ...route, link: link.name })
  })
  await rtnl.deleteLink(link)
  await make(rtnl, tunnel)
}

function explained(error: unknown, kind: TunnelKind, port: number): unknown {
  if (!isNetnsError(error)) return error
  if (error.code === 'EOPNOTSUPP') {
    const other = tunnelKinds.find((each) => each !== kind)
    return new NodeLevelError(
      'NO_TUNNEL',
      `The kernel of this node has no ${kind} tunnels: load its module (modprobe ${kind}), or set AMBIENT_TUNNEL=${other}`,
      { cause: error },
    )
  }
  if (error.code === 'EADDRINUSE' || error.code === 'EEXIST') {
    const why = `another program has taken UDP port ${port}, or has such a ${kind} tunnel: ${messageOf(error)}`
    return new NodeLevelError('NO_PORT', why, { cause: error })
  }
  return error
}
