/** Bits of a packet's mark, and of its connection's, by what they say of it; each is its own mask. */
export const marks = {
  /** From a pod in the mesh, on its way to ztunnel. */
  outbound: 0x100,
  /** Nothing is to be done with it. */
  skip: 0x200,
  /** Nothing is to be done with it, nor with its connection. */
  connectionSkip: 0x220,
  /** From ztunnel, with the address of somebody else. */
  proxy: 0x210,
  /** The answer to it. */
  proxyReturn: 0x040,
} as const

/** Marks in ztunnel's namespace, of which {@link ztunnelMarkMask} counts. */
export const ztunnelMarks = {
  /** TPROXY has found a listener for it. */
  tproxy: 0x400,
  /** Came in by the veth with the address of somebody else: an answer to ztunnel. */
  originalSourceReturn: 0x4d3,
} as const

export const ztunnelMarkMask = 0xfff

/** Route tables, of the node and of ztunnel's namespace alike; nobody else's. */
export const tables = { inbound: 100, outbound: 101, proxy: 102 } as const

/** Priorities of the node's policy rules. */
export const priorities = { skip: 100, outbound: 101, proxyReturn: 102, pods: 103 } as const
/** Priorities of those in ztunnel's namespace. */
export const ztunnelPriorities = { tproxy: 20_000, originalSourceReturn: 20_003 } as const

/** The priority of the rule that looks up the main table, in every namespace. */
export const MAIN_PRIORITY = 32_766

/** Addresses of pods in the mesh; the comment of an entry is the UID of its pod. */
export const POD_SET = 'ztunnel-pods-ips'

/** Where ztunnel listens for queries in its own namespace. */
export const ZTUNNEL_DNS_PORT = 15_053

/** The tunnels between the node and ztunnel's namespace, each with a name and an address at either end. */
export const tunnels = {
  inbound: { id: 1000, node: ['istioin', '192.168.126.1'], ztunnel: ['pistioin', '192.168.126.2'] },
  outbound: { id: 1001, node: ['istioout', '192.168.127.1'], ztunnel: ['pistioout', '192.168.127.2'] },
} as const

/** The first port that is tried. */
export const FIRST_TUNNEL_PORT = 6081

/** The kinds of tunnels that there are. */
export const tunnelKinds: readonly TunnelKind[] = ['geneve', 'vxlan']

/** What the tunnels between the node and ztunnel are. */
export type TunnelKind = 'geneve' | 'vxlan'
