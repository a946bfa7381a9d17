/** Marks of packets and connections. Each mark is its own mask. */
export const marks = {
  /** Mark of packets from a pod in the mesh to ztunnel. */
  outbound: 0x100,
  /** The packet bypasses redirection. */
  skip: 0x200,
  /** The packet and its connection bypass redirection. */
  connectionSkip: 0x220,
  /** Mark of packets from ztunnel with the source address of a pod. */
  proxy: 0x210,
  /** Answer to a packet that ztunnel sent with a foreign source address. */
  proxyReturn: 0x040,
} as const

/** Marks in ztunnel's namespace, within the mask {@link ztunnelMarkMask}. */
export const ztunnelMarks = {
  /** TPROXY has found a listener. */
  tproxy: 0x400,
  /** Answer to ztunnel: it arrived by the veth, with a destination that is not ztunnel's own address. */
  originalSourceReturn: 0x4d3,
} as const

export const ztunnelMarkMask = 0xfff

/** Route tables on the node and in ztunnel's namespace. Reserved for this package. */
export const tables = { inbound: 100, outbound: 101, proxy: 102 } as const

/** Priorities of the node's policy rules. */
export const priorities = { skip: 100, outbound: 101, proxyReturn: 102, pods: 103 } as const
/** Priorities of the policy rules in ztunnel's namespace. */
export const ztunnelPriorities = { tproxy: 20_000, originalSourceReturn: 20_003 } as const

/** Priority of the rule that looks up the main table, in every namespace. */
export const MAIN_PRIORITY = 32_766

/** Name of the set with the addresses of pods in the mesh. The comment of an entry is the UID of the pod. */
export const POD_SET = 'ztunnel-pods-ips'

/** Port of ztunnel's DNS listener in its own namespace. */
export const ZTUNNEL_DNS_PORT = 15_053

/** Tunnels between the node and ztunnel's namespace, with name and address of each end. */
export const tunnels = {
  inbound: { id: 1000, node: ['istioin', '192.168.126.1'], ztunnel: ['pistioin', '192.168.126.2'] },
  outbound: { id: 1001, node: ['istioout', '192.168.127.1'], ztunnel: ['pistioout', '192.168.127.2'] },
} as const

/** First UDP port to try for the tunnels. */
export const FIRST_TUNNEL_PORT = 6081

/** Supported kinds of tunnels. */
export const tunnelKinds: readonly TunnelKind[] = ['geneve', 'vxlan']

/** Kind of the tunnels between the node and ztunnel. */
export type TunnelKind = 'geneve' | 'vxlan'
