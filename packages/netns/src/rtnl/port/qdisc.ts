import type { OnLink } from './on-link.ts'

/** Queueing discipline of a link. A qdisc as read can be passed to `addQdisc` and `deleteQdisc`. */
export interface Qdisc {
  readonly linkIndex: number
  /** Kind: `tbf`, `ingress`, `clsact`, `noqueue` … */
  readonly kind: string
  /** Handle such as `1:`. The kernel's default qdiscs have `0:`. */
  readonly handle: string
  /** Parent of the qdisc: `root`, `ingress` (for the kinds `ingress` and `clsact`), or a class such as `1:1`. */
  readonly parent: string
  /** Token bucket options: limit of the outgoing traffic. */
  readonly tbf?: {
    readonly bitsPerSecond: number
    /** Burst in bytes. The kernel rounds it to a multiple of what passes in 64 ns. */
    readonly burstBytes: number
    /** Queue length in bytes. Default: the bytes of `latency` plus one burst. */
    readonly limitBytes?: number | undefined
    /** Longest queueing time in milliseconds, instead of `limitBytes`. Default: 25. */
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
