import { foldMembers, isObject } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import * as z from 'zod/mini'

/** Values that runtimes pass, by the name of the capability: `runtimeConfig` reads them. */
export interface RuntimeConfig {
  /** Ports of the node that are ports of the container. */
  portMappings: Array<{
    /** Port of the node, from 1 on. */
    hostPort: number
    /** Port of the container. */
    containerPort: number
    /** Default: `tcp`. */
    protocol: 'tcp' | 'udp' | 'sctp'
    /**
     * An address in its canonical form. `''`: every address of the node; `0.0.0.0`: every IPv4 address; `::`: every IPv6
     * address.
     */
    hostIP: string
  }>
  /** Bits for each second, and bits at once; 0: no limit. `ingress` is what comes to the container. */
  bandwidth: {
    /** Bits per second to the container. */
    ingressRate: number
    /** Bits at once to the container. */
    ingressBurst: number
    /** Bits per second from the container. */
    egressRate: number
    /** Bits at once from the container. */
    egressBurst: number
  }
  /** Parts of subnets that addresses may be taken from. */
  ipRanges: Array<
    Array<{
      /** The subnet, `10.1.0.0/16`. */
      subnet: string
      /** First address of the range. */
      rangeStart?: string | undefined
      /** Last address of the range. */
      rangeEnd?: string | undefined
      /** The gateway of the subnet. */
      gateway?: string | undefined
    }>
  >
  /** Addresses that the container should have. */
  ips: string[]
  /** Other names of the container. */
  aliases: string[]
  /** Resolver settings. The members have other names than those of the configuration's `dns`. */
  dns:
    | {
        /** Addresses of name servers. */
        servers: string[]
        /** Domains that are tried for short names. */
        searches: string[]
        /** Options of the resolver. */
        options: string[]
      }
    | undefined
  /** The MAC address that the interface should have. */
  mac: string | undefined
  /** The GUID that the InfiniBand interface should have. */
  infinibandGUID: string | undefined
  /** The device that the interface should be made from. */
  deviceID: string | undefined
  /** The cgroup of the pod. */
  cgroupPath: string | undefined
  /** The annotations of the pod; containerd and CRI-O pass them. */
  'io.kubernetes.cri.pod-annotations': Record<string, string>
}

/** The schema of each capability; made when it is asked for. */
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
    /** 0, or a missing member, maps no port: such entries are left out of the list. */
    hostPort: z._default(port(0), 0),
    containerPort: port(1),
    /** Runtimes leave it out for TCP. */
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

/** Not the names of the configuration's `dns`. */
function dns() {
  return folded({ servers: listOf(z.string()), searches: listOf(z.string()), options: listOf(z.string()) })
}

/** An object in a runtime's spelling. */
type Folded<Shape extends z.core.$ZodShape> = z.ZodMiniPipe<
  z.ZodMiniTransform<unknown, unknown>,
  z.ZodMiniObject<Shape>
>

/** Members by any spelling: containerd writes `HostPort`, podman `hostPort`; Go, which reads both, does not see it. */
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

/** Go writes `null` for a list or a map that nobody filled. */
function filled(empty: object) {
  return z.transform((value: unknown) => value ?? empty)
}
