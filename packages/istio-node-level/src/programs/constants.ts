import type { MapSizes } from '../asm/program-text.ts'

/** What the programs of a node tell one another with a packet (`cb[4]`), across namespaces. */
export const tags = {
  /** From a pod in the mesh. */
  outbound: 4321,
  /** To a pod in the mesh. */
  inbound: 1234,
  /** From ztunnel, to a pod in the mesh. */
  fromZtunnel: 0xc001_f00d,
} as const

/** Marks of packets in ztunnel's namespace. */
export const packetMarks = {
  /** A socket was assigned: routed to this machine, whatever the destination. */
  assigned: 0x400,
  /** Without `sk_assign`: rules of TPROXY find the socket. */
  outbound: 8765,
  inbound: 5678,
} as const

/** Where ztunnel listens in its own namespace. */
export const ztunnelPorts = { outbound: 15_001, plaintext: 15_006, hbone: 15_008, dns: 15_053 } as const

/** Where a pod's or ztunnel's entry has what. */
export const target = { ifindex: 0, mac: 4, flags: 10 } as const
/** Behind that in the entry of the ztunnel before: the node's number for its namespace. */
export const earlier = { netns: 12 } as const
/** In the flags: queries of pods go to ztunnel. */
export const CAPTURE_DNS = 1

/** The maps by what the programs know of them. */
export const mapSizes = {
  host_ip_info: { keySize: 4, valueSize: 16 },
  ztunnel_info: { keySize: 4, valueSize: 12 },
  ztunnel_before: { keySize: 4, valueSize: 16 },
  app_info: { keySize: 4, valueSize: 12 },
  drops: { keySize: 4, valueSize: 8 },
} as const satisfies Readonly<Record<string, MapSizes>>

/** A number of 16 bits as a packet has it, read by a machine that has the lowest byte first. */
export const htons = (value: number): number => ((value & 0xff) << 8) | (value >> 8)

/** An address as a packet has it, read by such a machine. */
export const LOOPBACK = 0x0100_007f
