import { foldMembers, isObject } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import * as z from 'zod/mini'

/**
 * Values that container runtimes pass in `runtimeConfig`, by capability name. The function `runtimeConfig` creates
 * their schema.
 */
export interface RuntimeConfig {
  /** Mappings of node ports to container ports. The plugin forwards each node port to its container port. */
  portMappings: Array<{
    /** Port of the node that is forwarded to the container, 1 or higher. */
    hostPort: number
    /** Port of the container to which the node's port is forwarded. */
    containerPort: number
    /** Protocol of the port mapping. Default: `tcp`. */
    protocol: 'tcp' | 'udp' | 'sctp'
    /**
     * Address of the node for the port mapping. An empty text means every address, `0.0.0.0` every IPv4 and `::` every
     * IPv6 address.
     */
    hostIP: string
  }>
  /** Bandwidth limits of the container. Rates are in bits per second, burst sizes in bits. 0 means no limit. */
  bandwidth: {
    /** Maximum rate of traffic to the container, in bits per second. */
    ingressRate: number
    /** Burst size of traffic to the container, in bits. */
    ingressBurst: number
    /** Maximum rate of traffic from the container, in bits per second. */
    egressRate: number
    /** Burst size of traffic from the container, in bits. */
    egressBurst: number
  }
  /** Ranges of subnets from which the IPAM plugin allocates the container's addresses. */
  ipRanges: Array<
    Array<{
      /** Subnet from which addresses are allocated, such as `10.1.0.0/16`. */
      subnet: string
      /** First address that the IPAM plugin may allocate from the subnet. */
      rangeStart?: string | undefined
      /** Last address that the IPAM plugin may allocate from the subnet. */
      rangeEnd?: string | undefined
      /** Gateway address of the subnet from which the container's address is allocated. */
      gateway?: string | undefined
    }>
  >
  /** IP addresses that the container runtime requests for the container. */
  ips: string[]
  /** Additional DNS names of the container. */
  aliases: string[]
  /** DNS settings for the container. The configuration's `dns` has other names: `nameservers` and `search`. */
  dns:
    | {
        /** Addresses of DNS servers for the container. */
        servers: string[]
        /** Search domains with which the container completes short host names. */
        searches: string[]
        /** Options of the DNS resolver, as in `resolv.conf`. */
        options: string[]
      }
    | undefined
  /** MAC address that the container runtime requests for the container's interface. */
  mac: string | undefined
  /** GUID that the container runtime requests for the container's InfiniBand interface. */
  infinibandGUID: string | undefined
  /** Id of the device from which the plugin makes the container's interface, such as a PCI address. */
  deviceID: string | undefined
  /** Path of the pod's cgroup. */
  cgroupPath: string | undefined
  /** Kubernetes annotations of the pod. containerd and CRI-O pass them. */
  'io.kubernetes.cri.pod-annotations': Record<string, string>
}

/** Map from a capability's name in `runtimeConfig` to the function that creates its schema. */
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
    /** Port of the node. A mapping without a node port forwards nothing, so the parsed list omits the mapping. */
    hostPort: z._default(port(0), 0),
    containerPort: port(1),
    /** Protocol of the port mapping. Runtimes omit it for TCP. */
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

/** Schema of the capability `dns`, whose members differ from the configuration's `dns`. */
function dns() {
  return folded({ servers: listOf(z.string()), searches: listOf(z.string()), options: listOf(z.string()) })
}

/** Type of a schema that ignores upper and lower case of an object's member names. */
type Folded<Shape extends z.core.$ZodShape> = z.ZodMiniPipe<
  z.ZodMiniTransform<unknown, unknown>,
  z.ZodMiniObject<Shape>
>

/** Ignores the case of member names as Go does, because containerd writes `HostPort`. */
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

/** Replaces `null` by an empty list or object, because Go writes `null` for unset values. */
function filled(empty: object) {
  return z.transform((value: unknown) => value ?? empty)
}
