import { type Link, type NetnsTarget, openRtnl, readFile } from '@cni/netns'
import { FIRST_TUNNEL_PORT, type TunnelKind, tunnels } from '../names.ts'
import { NodeLevelError } from '../node-level-error.ts'

/** UDP ports that are in use in a network namespace, and the links of the namespace. */
export interface PortsOfNamespace {
  readonly links: readonly Link[]
  /** UDP ports to which sockets and tunnels are bound. */
  readonly bound: ReadonlySet<number>
}

/** Reads the links and the used UDP ports of a network namespace. */
export async function portsIn(target: NetnsTarget): Promise<PortsOfNamespace> {
  using rtnl = await openRtnl(target)
  const links = await rtnl.getLinks()
  const texts = await Promise.all(['udp', 'udp6'].map((file) => readFile(target, `/proc/thread-self/net/${file}`)))
  return { links, bound: new Set(texts.flatMap((text) => boundPorts(text ?? ''))) }
}

/** Parses the local port numbers from the text of a file such as `/proc/net/udp`. */
export const boundPorts = (text: string): number[] =>
  [...text.matchAll(/^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) /gm)].map(([, port = '']) => Number.parseInt(port, 16))

/**
 * Chooses a tunnel port that is free on the node and in ztunnel's namespace.
 *
 * @throws {@link NodeLevelError} `NO_PORT`.
 */
export function tunnelPort(kind: TunnelKind, remote: string, namespaces: readonly PortsOfNamespace[]): number {
  const isFree = (port: number) => namespaces.every((each) => !isTaken(kind, remote, port, each))
  const current = namespaces[0]?.links.find(({ name }) => name === tunnels.inbound.node[0])
  const kept = current === undefined ? undefined : endOf(current, kind)?.port
  if (kept !== undefined && kept !== 0 && isFree(kept)) return kept
  for (let port = FIRST_TUNNEL_PORT; port < FIRST_TUNNEL_PORT + PORTS; port++) if (isFree(port)) return port
  throw new NodeLevelError(
    'NO_PORT',
    `No UDP port from ${FIRST_TUNNEL_PORT} to ${FIRST_TUNNEL_PORT + PORTS - 1} is free for ${kind} tunnels to ztunnel: ` +
      'other programs and tunnels use them (see ss -lun, ip -d link)',
  )
}

// internal

/** Number of UDP ports to try for the tunnels between the node and ztunnel. */
const PORTS = 256

const own: ReadonlySet<string> = new Set(
  [tunnels.inbound, tunnels.outbound].flatMap(({ node, ztunnel }) => [node[0], ztunnel[0]]),
)
const ids: readonly number[] = [tunnels.inbound.id, tunnels.outbound.id]

function endOf({ geneve, vxlan }: Link, kind: TunnelKind) {
  return kind === 'geneve' ? geneve : vxlan
}

function isTaken(kind: TunnelKind, remote: string, port: number, { links, bound }: PortsOfNamespace): boolean {
  const onPort = links.flatMap((link) => {
    const end = endOf(link, kind)
    return end?.port === port ? [{ isOwn: own.has(link.name), ...end }] : []
  })
  // A bound port belongs to a socket of another program if no tunnel uses the port.
  if (onPort.length === 0) return bound.has(port)
  return onPort.some((end) => {
    if (end.isOwn) return false
    const takesAll = end.id === 0 && (end.remote ?? '') === ''
    // A VXLAN link receives packets with its identifier from all remote addresses, unlike a geneve link.
    return takesAll || (ids.includes(end.id) && (kind === 'vxlan' || end.remote === remote))
  })
}
