import type { MapSizes } from '../asm/program-text.ts'

/** Tags in `cb[4]` of a packet, by which programs in different namespaces communicate. */
export const tags = {
  /** Mark of packets from a pod in the mesh. */
  outbound: 4321,
  /** Mark of packets to a pod in the mesh. */
  inbound: 1234,
  /** Mark of packets from ztunnel to a pod in the mesh. */
  fromZtunnel: 0xc001_f00d,
} as const

/** Marks of packets in ztunnel's namespace. */
export const packetMarks = {
  /** A socket was assigned. The packet is routed to this machine, whatever its destination. */
  assigned: 0x400,
  /** Marks for the TPROXY rules that find a socket without `sk_assign`. */
  outbound: 8765,
  inbound: 5678,
} as const

/** Ports of ztunnel's listeners in its own namespace. */
export const ztunnelPorts = { outbound: 15_001, plaintext: 15_006, hbone: 15_008, dns: 15_053 } as const

/** Offsets in the map entry of a pod or of ztunnel. */
export const target = { ifindex: 0, mac: 4, flags: 10 } as const
/** Further offset in the entry of the previous ztunnel: the node's ID of its namespace. */
export const earlier = { netns: 12 } as const
/** Flag: DNS queries of pods go to ztunnel. */
export const CAPTURE_DNS = 1

/** Key and value sizes of the maps that programs use. */
export const mapSizes = {
  host_ip_info: { keySize: 4, valueSize: 16 },
  ztunnel_info: { keySize: 4, valueSize: 12 },
  ztunnel_before: { keySize: 4, valueSize: 16 },
  app_info: { keySize: 4, valueSize: 12 },
  drops: { keySize: 4, valueSize: 8 },
} as const satisfies Readonly<Record<string, MapSizes>>

/** Converts a 16-bit number to network byte order, for little-endian machines. */
export const htons = (value: number): number => ((value & 0xff) << 8) | (value >> 8)

/** 127.0.0.1 in network byte order, for little-endian machines. */
export const LOOPBACK = 0x0100_007f
