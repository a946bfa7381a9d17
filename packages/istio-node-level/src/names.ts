/** Firewall marks of packets and connections on the node. The mask of each mark equals the mark. */
export const marks = {
  /** Mark of packets from a pod in the mesh to ztunnel. */
  outbound: 0x100,
  /** Mark of packets that bypass redirection. */
  skip: 0x200,
  /** Mark of packets whose whole connection bypasses redirection. */
  connectionSkip: 0x220,
  /** Mark of packets from ztunnel with the source address of a pod. */
  proxy: 0x210,
  /** Mark of answers to packets that ztunnel sent with the source address of a pod. */
  proxyReturn: 0x040,
} as const

/** Firewall marks in ztunnel's namespace. Their mask is {@link ztunnelMarkMask}. */
export const ztunnelMarks = {
  /** Mark that the TPROXY target sets on packets for a listener of ztunnel. */
  tproxy: 0x400,
  /** Mark of answers to packets that ztunnel sent with the address of a pod. */
  originalSourceReturn: 0x4d3,
} as const

export const ztunnelMarkMask = 0xfff

/** Numbers of the route tables on the node and in ztunnel's namespace. The numbers are reserved for this package. */
export const tables = { inbound: 100, outbound: 101, proxy: 102 } as const

/** Priorities of the node's policy rules (`ip rule`). */
export const priorities = { skip: 100, outbound: 101, proxyReturn: 102, pods: 103 } as const
/** Priorities of the policy rules (`ip rule`) in ztunnel's namespace. */
export const ztunnelPriorities = { tproxy: 20_000, originalSourceReturn: 20_003 } as const

/** Priority of the kernel's own policy rule for the main route table. */
export const MAIN_PRIORITY = 32_766

/** Name of the ipset set with the addresses and UIDs of pods in the mesh. */
export const POD_SET = 'ztunnel-pods-ips'

/** UDP port on which ztunnel listens for DNS queries, in ztunnel's own network namespace. */
export const ZTUNNEL_DNS_PORT = 15_053

/** Tunnels between the node and ztunnel's namespace, with the link name and IPv4 address of each end. */
export const tunnels = {
  inbound: { id: 1000, node: ['istioin', '192.168.126.1'], ztunnel: ['pistioin', '192.168.126.2'] },
  outbound: { id: 1001, node: ['istioout', '192.168.127.1'], ztunnel: ['pistioout', '192.168.127.2'] },
} as const

/** First UDP port to try for the tunnels between the node and ztunnel. */
export const FIRST_TUNNEL_PORT = 6081

/** Supported types of tunnels between the node and ztunnel. */
export const tunnelKinds: readonly TunnelKind[] = ['geneve', 'vxlan']

/** Type of the tunnels between the node and ztunnel. */
export type TunnelKind = 'geneve' | 'vxlan'
