import * as z from 'zod/mini'
import type { Backend } from '../../backend.ts'

/** Status of ambient mode, as `install-cni status` prints it. */
export interface AmbientStatus {
  /** Number of enrolled pods: their rules are installed and ztunnel has acknowledged them. */
  readonly enrolled: number
  /** Number of pods that belong to the mesh and are not enrolled yet. */
  readonly pending: number
  /** The first pending pods (at most 20) as `namespace/name`, each with the reason. */
  readonly waiting: readonly { readonly pod: string; readonly why: string }[]
  /** Number of enrolled pods without a process or mount in their enrolled namespace. Older agents omit this member. */
  readonly notCaptured?: number | undefined
  /** The first of the `notCaptured` pods (at most 20), each with the reason. */
  readonly astray?: readonly { readonly pod: string; readonly why: string }[] | undefined
  /** Number of ztunnel connections that have sent their hello and have received all pods. */
  readonly ztunnels: number
  /** Back end that writes the rules. `undefined` until the agent has chosen it. */
  readonly backend?: Backend | undefined
  /** Present if traffic is redirected on the node instead of in pods. */
  readonly nodeLevel?:
    | {
        readonly mode: 'node-iptables' | 'node-ebpf'
        /** Kind of the tunnels to ztunnel. Absent without tunnels. */
        readonly tunnel?: 'geneve' | 'vxlan' | undefined
        /** IPv4 address of the node. Probes come from this address. */
        readonly hostIp: string
        /**
         * ztunnel that serves the node, as `namespace/name`. If it is `undefined`, the node drops traffic of pods in
         * the mesh.
         */
        readonly ztunnel?: string | undefined
      }
    | undefined
  /** Error that stops ambient mode as a whole, in one sentence. */
  readonly problem?: string | undefined
}

/** Status of redirection on the node. */
export type NodeLevelStatus = NonNullable<AmbientStatus['nodeLevel']>

/** Maximal number of pods in each list of a status. */
export const PENDING_SHOWN = 20

const podsShown = () => z.array(z.object({ pod: z.string(), why: z.string() })).check(z.maxLength(PENDING_SHOWN))

/** Schema of a status that is read from the socket. */
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
