import { foldMembers, isObject } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import * as z from 'zod/mini'

/** Values that runtimes pass, by capability name. `runtimeConfig` parses them. */
export interface RuntimeConfig {
  /** Node ports that are forwarded to the container. */
  portMappings: Array<{
    /** Port of the node, 1 or higher. */
    hostPort: number
    /** Port of the container. */
    containerPort: number
    /** Default: `tcp`. */
    protocol: 'tcp' | 'udp' | 'sctp'
    /** Canonical address. `''` means every address of the node, `0.0.0.0` every IPv4 and `::` every IPv6 address. */
    hostIP: string
  }>
  /** Rates in bits per second and burst sizes in bits. 0 means no limit. `ingress` is traffic to the container. */
  bandwidth: {
    /** Bits per second to the container. */
    ingressRate: number
    /** Burst size in bits to the container. */
    ingressBurst: number
    /** Bits per second from the container. */
    egressRate: number
    /** Burst size in bits from the container. */
    egressBurst: number
  }
  /** Ranges of subnets from which addresses are allocated. */
  ipRanges: Array<
    Array<{
      /** Subnet, such as `10.1.0.0/16`. */
      subnet: string
      /** First address of the range. */
      rangeStart?: string | undefined
      /** Last address of the range. */
      rangeEnd?: string | undefined
      /** Gateway of the subnet. */
      gateway?: string | undefined
    }>
  >
  /** Requested addresses of the container. */
  ips: string[]
  /** Additional names of the container. */
  aliases: string[]
  /** DNS settings. Their names differ from those in the configuration's `dns`. */
  dns:
    | {
        /** Addresses of name servers. */
        servers: string[]
        /** Search domains for short names. */
        searches: string[]
        /** Options of the resolver. */
        options: string[]
      }
    | undefined
  /** Requested MAC address of the interface. */
  mac: string | undefined
  /** Requested GUID of the InfiniBand interface. */
  infinibandGUID: string | undefined
  /** Device from which the interface is made. */
  deviceID: string | undefined
  /** Cgroup of the pod. */
  cgroupPath: string | undefined
  /** Annotations of the pod, passed by containerd and CRI-O. */
  'io.kubernetes.cri.pod-annotations': Record<string, string>
}

/** Schema of each capability, created on demand. */
export const capabilitySchemas = {
  portMappings: () =>
    z.pipe(
      listOf(portMapping()),
      z.transform((list) => list.filter(({ hostPort }) => hostPort > 0)),
    ),
  bandwidth: () => z.prefault(bandwidth(), {}),
  ipRanges: () => listOf(z.array(ipRange())),
  ips: () => listOf(z.string()),
  aliases: () => listOf(z.string()),
  dns: () => z.optional(dns()),
  mac: () => z.optional(z.string()),
  infinibandGUID: () => z.optional(z.string()),
  deviceID: () => z.optional(z.string()),
  cgroupPath: () => z.optional(z.string()),
  'io.kubernetes.cri.pod-annotations': () => z.prefault(z.pipe(filled({}), z.record(z.string(), z.string())), {}),
} as const satisfies { [Name in keyof RuntimeConfig]: () => z.ZodMiniType<RuntimeConfig[Name]> }

function portMapping() {
  const port = (least: number) => z.int().check(z.minimum(least), z.maximum(65_535))
  return folded({
    /** Entries with port 0 or without a port map nothing. The list omits them. */
    hostPort: z._default(port(0), 0),
    containerPort: port(1),
    /** Runtimes omit the protocol for TCP. */
    protocol: z._default(z.pipe(z.string().check(z.toLowerCase()), z.enum(['tcp', 'udp', 'sctp'])), 'tcp'),
    hostIP: z._default(
      z.string().check(z.overwrite(canonicalAddress), z.refine(isHostIp, 'expected an IP address')),
      '',
    ),
  })
}

const isHostIp = (text: string): boolean => text === '' || parseAddress(text) !== undefined

function canonicalAddress(text: string): string {
  const bytes = parseAddress(text)
  return bytes === undefined ? text : formatAddress(unmapAddress(bytes))
}

function bandwidth() {
  const bits = z._default(z.int().check(z.nonnegative()), 0)
  return folded({ ingressRate: bits, ingressBurst: bits, egressRate: bits, egressBurst: bits })
}

function ipRange() {
  const address = z.optional(z.string())
  return folded({ subnet: z.string(), rangeStart: address, rangeEnd: address, gateway: address })
}

/** The capability `dns` and the configuration's member `dns` have different member names. */
function dns() {
  return folded({ servers: listOf(z.string()), searches: listOf(z.string()), options: listOf(z.string()) })
}

/** An object whose member names may differ in case. */
type Folded<Shape extends z.core.$ZodShape> = z.ZodMiniPipe<
  z.ZodMiniTransform<unknown, unknown>,
  z.ZodMiniObject<Shape>
>

/** Accepts members in any case, as Go does: containerd writes `HostPort`, podman `hostPort`. */
function folded<Shape extends z.core.$ZodShape>(shape: Shape): Folded<Shape> {
  const names = Object.keys(shape)
  return z.pipe(
    z.transform((value: unknown) => (isObject(value) ? foldMembers(value, names) : value)),
    z.looseObject(shape),
  )
}

function listOf<Item extends z.core.$ZodType>(item: Item) {
  return z.prefault(z.pipe(filled([]), z.array(item)), [])
}

/** Go writes `null` for an unset list or map. */
function filled(empty: object) {
  return z.transform((value: unknown) => value ?? empty)
}
