import * as z from 'zod/mini'
import type { Backend } from '../../backend.ts'

/** Status of ambient mode, as `install-cni status` prints it. */
export interface AmbientStatus {
  /** Number of enrolled pods. Their rules are installed, and ztunnel has acknowledged the pods. */
  readonly enrolled: number
  /** Number of pods that belong to the mesh but are not enrolled yet. */
  readonly pending: number
  /** Unenrolled pods of the mesh, as `namespace/name` with the reason. The list has at most 20 pods. */
  readonly waiting: readonly { readonly pod: string; readonly why: string }[]
  /** Number of enrolled pods without a known network namespace. Older agents omit this member. */
  readonly notCaptured?: number | undefined
  /** Pods that `notCaptured` counts, each with the reason. The list has at most 20 pods. */
  readonly astray?: readonly { readonly pod: string; readonly why: string }[] | undefined
  /** Number of connected ztunnels that have received all pods of the node. */
  readonly ztunnels: number
  /** Back end that writes the redirection rules. `undefined` until the agent has chosen the back end. */
  readonly backend?: Backend | undefined
  /** Status of node-level redirection. Present if traffic is redirected on the node instead of in pods. */
  readonly nodeLevel?:
    | {
        readonly mode: 'node-iptables' | 'node-ebpf'
        /** Type of the tunnels between the node and ztunnel. Absent if the redirect mode uses no tunnels. */
        readonly tunnel?: 'geneve' | 'vxlan' | undefined
        /** IPv4 address of the node. The kubelet's probes come from this address. */
        readonly hostIp: string
        /**
         * ztunnel that serves the node, as `namespace/name`. The node drops traffic of pods in the mesh while no
         * ztunnel serves.
         */
        readonly ztunnel?: string | undefined
      }
    | undefined
  /** One-sentence text of the error that stops all of ambient mode. */
  readonly problem?: string | undefined
}

/** Status of node-level redirection, as a member of the status of ambient mode. */
export type NodeLevelStatus = NonNullable<AmbientStatus['nodeLevel']>

/** Maximal number of pods in each list of the status of ambient mode. */
export const PENDING_SHOWN = 20

const podsShown = () => z.array(z.object({ pod: z.string(), why: z.string() })).check(z.maxLength(PENDING_SHOWN))

/** Schema of the status of ambient mode that `install-cni status` reads from the agent's socket. */
export const ambientStatusSchema: z.ZodMiniType<AmbientStatus> = z.object({
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
