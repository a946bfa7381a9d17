import type { OnLink } from './on-link.ts'

/** Queueing discipline (qdisc) of a link. A `Qdisc` from `getQdiscs` can be passed to `addQdisc` and `deleteQdisc`. */
export interface Qdisc {
  readonly linkIndex: number
  /** Kind of the qdisc: `tbf`, `ingress`, `clsact`, `noqueue` … */
  readonly kind: string
  /** Handle of the qdisc, such as `1:`. The kernel's default qdiscs have `0:`. */
  readonly handle: string
  /** Parent of the qdisc: `root`, `ingress` (for the kinds `ingress` and `clsact`), or a class such as `1:1`. */
  readonly parent: string
  /** Token bucket options of a `tbf` qdisc, which limits the outgoing traffic of the link. */
  readonly tbf?: {
    readonly bitsPerSecond: number
    /** Burst of the token bucket in bytes. The kernel rounds the bytes to units of 64 ns. */
    readonly burstBytes: number
    /**
     * Length of the token bucket's queue in bytes. Default: one burst plus the bytes that the rate sends in `latency`.
     */
    readonly limitBytes?: number | undefined
    /**
     * Longest time in milliseconds that a packet waits in the token bucket's queue. Alternative to `limitBytes`.
     * Default: 25.
     */
    readonly latency?: number | undefined
  }
}

/** Argument of `addQdisc`: a new qdisc, or a qdisc returned by `getQdiscs`. */
export interface QdiscToAdd extends OnLink {
  readonly kind: string
  readonly parent?: string | undefined
  readonly handle?: string | undefined
  readonly tbf?: Qdisc['tbf'] | undefined
}
