import * as z from 'zod/mini'
import type { Backend } from '../../backend.ts'

/** What `install-cni status` tells of ambient mode. */
export interface AmbientStatus {
  /** Pods whose rules are in and that ztunnel has taken. */
  readonly enrolled: number
  /** Pods that should be and are not yet. */
  readonly pending: number
  /** The first of them, `namespace/name`, and why: 20 at most. */
  readonly waiting: readonly { readonly pod: string; readonly why: string }[]
  /** Of the enrolled: pods that nothing on the node shows in the namespace that was enrolled. Absent from an older agent. */
  readonly notCaptured?: number | undefined
  /** The first of them, and why: 20 at most. */
  readonly astray?: readonly { readonly pod: string; readonly why: string }[] | undefined
  /** Connections of ztunnels that have said hello and have been told of all pods. */
  readonly ztunnels: number
  /** Back end that writes the rules. `undefined` until the agent has chosen it. */
  readonly backend?: Backend | undefined
  /** Present where traffic is redirected on the node, and not in pods. */
  readonly nodeLevel?:
    | {
        readonly mode: 'node-iptables' | 'node-ebpf'
        /** The tunnels to ztunnel, if there are any. */
        readonly tunnel?: 'geneve' | 'vxlan' | undefined
        /** The node's address of IPv4, from which probes come. */
        readonly hostIp: string
        /** The ztunnel that serves the node, `namespace/name`. `undefined`: none, and traffic of pods in the mesh is dropped. */
        readonly ztunnel?: string | undefined
      }
    | undefined
  /** What keeps ambient mode as a whole from working, one sentence. */
  readonly problem?: string | undefined
}

/** Status where traffic is redirected on the node. */
export type NodeLevelStatus = NonNullable<AmbientStatus['nodeLevel']>

/** How many pods of each kind a status names. */
export const PENDING_SHOWN = 20

const podsShown = () => z.array(z.object({ pod: z.string(), why: z.string() })).check(z.maxLength(PENDING_SHOWN))

/** A status as it comes out of a socket. */
export const ambientStatusSchema = z.object({
  enrolled: z.int().check(z.nonnegative()),
  pending: z.int().check(z.nonnegative()),
  waiting: podsShown(),
  notCaptured: z.optional(z.int().check(z.nonnegative())),
  astray: z.optional(podsShown()),
  ztunnels: z.int().check(z.nonnegative()),
  backend: z.optional(z.enum(['iptables-nft', 'iptables-legacy', 'nftables'])),
  nodeLevel: z.optional(
    z.object({
      mode: z.enum(['node-iptables', 'node-ebpf']),
      tunnel: z.optional(z.enum(['geneve', 'vxlan'])),
      hostIp: z.string(),
      ztunnel: z.optional(z.string()),
    }),
  ),
  problem: z.optional(z.string()),
})
