import type { MapSizes } from '../asm/program-text.ts'

/** Tags in the field `cb[4]` of a packet, for eBPF programs in other namespaces. */
export const tags = {
  /** Tag of packets that a pod in the mesh sends, on their way to ztunnel. */
  outbound: 4321,
  /** Tag of packets that are addressed to a pod in the mesh, on their way to ztunnel. */
  inbound: 1234,
  /** Tag of packets that ztunnel has processed, on their way to a pod in the mesh. */
  fromZtunnel: 0xc001_f00d,
} as const

/** Firewall marks that eBPF programs set on packets in ztunnel's namespace. */
export const packetMarks = {
  /** Mark of packets with an assigned socket. A policy rule delivers these packets locally. */
  assigned: 0x400,
  /** Mark of a pod's outgoing packets, on kernels without `sk_assign`. TPROXY rules match this mark. */
  outbound: 8765,
  inbound: 5678,
} as const

/** Ports on which ztunnel listens, in ztunnel's own network namespace. */
export const ztunnelPorts = { outbound: 15_001, plaintext: 15_006, hbone: 15_008, dns: 15_053 } as const

/** Offsets of fields in the map entry of a pod or of ztunnel. */
export const target = { ifindex: 0, mac: 4, flags: 10 } as const
/** Offset of the previous ztunnel's namespace ID, a field that other map entries lack. */
export const earlier = { netns: 12 } as const
/** Flag in ztunnel's map entry: DNS queries of pods go to ztunnel. */
export const CAPTURE_DNS = 1

/** Key and value sizes, in bytes, of the maps that the eBPF programs use. */
export const mapSizes = {
  host_ip_info: { keySize: 4, valueSize: 16 },
  ztunnel_info: { keySize: 4, valueSize: 12 },
  ztunnel_before: { keySize: 4, valueSize: 16 },
  app_info: { keySize: 4, valueSize: 12 },
  drops: { keySize: 4, valueSize: 8 },
} as const satisfies Readonly<Record<string, MapSizes>>

/** Converts a 16-bit number to network byte order. The eBPF programs support only little-endian machines. */
export const htons = (value: number): number => ((value & 0xff) << 8) | (value >> 8)

/** Address 127.0.0.1 in network byte order, for little-endian machines. */
export const LOOPBACK = 0x0100_007f
