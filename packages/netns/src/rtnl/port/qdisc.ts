import type { OnLink } from './on-link.ts'

/** What decides in which order, and when, packets leave a link. As read it may be passed to the methods that add and delete. */
export interface Qdisc {
  readonly linkIndex: number
  /** `tbf`, `ingress`, `clsact`, `noqueue` … */
  readonly kind: string
  /** `1:`; `0:` of the kernel's own. */
  readonly handle: string
  /** `root`, `ingress` (of `ingress` and `clsact`), or a class: `1:1`. */
  readonly parent: string
  /** A token bucket: how much may leave the link. */
  readonly tbf?: {
    readonly bitsPerSecond: number
    /** What may leave at once, in bytes; rounded by the kernel to what passes in 64 ns. */
    readonly burstBytes: number
    /** Bytes that may wait. Default: what passes in `latency`, and a burst. */
    readonly limitBytes?: number | undefined
    /** How long a packet may wait, instead of `limitBytes`. Default: 25. */
    readonly latency?: number | undefined
  }
}

/** Either of them: what `addQdisc` takes. */
export interface QdiscToAdd extends OnLink {
  readonly kind: string
  readonly parent?: string | undefined
  readonly handle?: string | undefined
  readonly tbf?: Qdisc['tbf'] | undefined
}
