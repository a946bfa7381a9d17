import type { Link, Route, RtnlPort } from '@cni/netns'
import { formatAddress, networkAddress, parseAddress, parsePrefix } from '@cni/types/ip'
import { NodeLevelError } from '../node-level-error.ts'

const MAIN_TABLE = 254

/**
 * Finds the node's link to a pod by the host route to the pod's address.
 *
 * @param whose - owner of the address for error messages, such as `pod shop/web`
 * @throws {@link NodeLevelError} `BRIDGE`, `NO_ROUTE`.
 */
export async function linkToPod(rtnl: RtnlPort, address: string, whose: string): Promise<Link> {
  const [links, routes] = await Promise.all([rtnl.getLinks(), rtnl.getRoutes({ family: 'ipv4', table: MAIN_TABLE })])
  const route = mostSpecific(routes, address)
  const link = links.find(({ index }) => index === route?.linkIndex)
  if (route?.cidr === `${address}/32` && link !== undefined && link.kind !== 'bridge') return link
  if (link?.kind === 'bridge') {
    throw new NodeLevelError(
      'BRIDGE',
      `${whose} (${address}) is behind the bridge ${link.name}, on which packets between pods are not routed: ` +
        'node-level redirection needs a network that gives each pod a route to its own link, as ptp does; ' +
        'or set AMBIENT_REDIRECT_MODE=inpod',
    )
  }
  const there = route === undefined ? 'none' : `${route.destination}${link === undefined ? '' : ` by ${link.name}`}`
  throw new NodeLevelError(
    'NO_ROUTE',
    `The node has no host route to ${whose} (${address}/32): the most specific route is ${there}. The pod may have ended`,
  )
}

/**
 * Finds both ends of ztunnel's veth by the node's route to ztunnel.
 *
 * @throws {@link NodeLevelError} `BRIDGE`, `NO_ROUTE`.
 */
export async function ztunnelLinks(
  node: RtnlPort,
  inside: RtnlPort,
  { ip, name }: { readonly ip: string; readonly name: string },
): Promise<{ readonly outer: Link; readonly inner: Link }> {
  const outer = await linkToPod(node, ip, `ztunnel ${name}`)
  if (outer.kind !== 'veth') {
    const kind = outer.kind ?? 'of no kind'
    throw new NodeLevelError('NO_ROUTE', `The link ${outer.name} to ztunnel ${name} (${ip}) is ${kind}, not a veth`)
  }
  const inner = (await inside.getLinks()).find(
    ({ kind, index, parent }) => kind === 'veth' && index === outer.parent && parent === outer.index,
  )
  if (inner !== undefined) return { outer, inner }
  throw new NodeLevelError(
    'NO_ROUTE',
    `The other end of the veth ${outer.name}, which leads to ${ip}, is not in the namespace of ztunnel ${name}: ` +
      'ztunnel has lost the address, or this is the namespace of another pod',
  )
}

/** Converts a text to an IPv4 address in the kernel's notation. `undefined` if the text is no IPv4 address. */
export function ipv4(text: string): string | undefined {
  const bytes = parseAddress(text)
  return bytes?.length === 4 ? formatAddress(bytes) : undefined
}

// internal

function mostSpecific(routes: readonly Route[], address: string): Route | undefined {
  const covering = routes.flatMap((route) => {
    const prefix = parsePrefix(route.cidr)
    const own = parsePrefix(`${address}/${prefix?.length ?? 0}`)
    if (prefix === undefined || own === undefined) return []
    const isIn = formatAddress(networkAddress(prefix)) === formatAddress(networkAddress(own))
    return isIn ? [{ route, length: prefix.length }] : []
  })
  return covering.toSorted((a, b) => b.length - a.length || (a.route.metric ?? 0) - (b.route.metric ?? 0))[0]?.route
}
