import type { LinkRef } from '../link/link.ts'
import type { OnLink } from '../link/on-link.ts'

/** What decides in which order, and when, packets leave a link. As read it may be passed to the methods that add and delete. */
export interface Qdisc {
  readonly linkIndex: number
  /** `tbf`, `ingress`, `clsact`, `noqueue` … */
  readonly kind: string
  /** `1:`; `0:` of the kernel's own. */
  readonly handle: string
  /** `root`, `ingress` (of `ingress` and `clsact`), or a class: `1:1`. */
  readonly parent: string
  readonly tbf?: TbfOptions
}

/** A token bucket: how much may leave the link. */
export interface TbfOptions {
  readonly bitsPerSecond: number
  /** What may leave at once, in bytes; rounded by the kernel to what passes in 64 ns. */
  readonly burstBytes: number
  /** Bytes that may wait. Default: what passes in `latency`, and a burst. */
  readonly limitBytes?: number | undefined
  /** How long a packet may wait, instead of `limitBytes`. Default: 25. */
  readonly latency?: number | undefined
}

/** A qdisc to add. */
export type NewQdisc = OnLink &
  (
    | {
        readonly kind: 'tbf'
        readonly tbf: TbfOptions
        /** Default: `root`. */
        readonly parent?: string | undefined
        /** Default: the kernel's choice. */
        readonly handle?: string | undefined
      }
    | { readonly kind: 'ingress' | 'clsact' }
  )

/** Either of them: what `addQdisc` takes. */
export interface QdiscToAdd extends OnLink {
  readonly kind: string
  readonly parent?: string | undefined
  readonly handle?: string | undefined
  readonly tbf?: TbfOptions | undefined
}

/** A qdisc to delete: what is not said is `root`, or, of `ingress` and `clsact`, `ingress`. */
export interface OldQdisc extends OnLink {
  readonly kind?: string | undefined
  readonly parent?: string | undefined
}

/** Which qdiscs, or redirections, to list. */
export interface QdiscFilter {
  readonly link?: LinkRef
}

/** Everything that comes in on a link leaves by another one instead, which may then hold it back. */
export interface Redirect {
  readonly linkIndex: number
  /** Index of the link it leaves by. */
  readonly to: number
  /** Lower is earlier. */
  readonly priority: number
}

/** A redirection to add or delete; the link needs the qdisc `ingress` or `clsact`. */
export interface NewRedirect extends OnLink {
  readonly to: LinkRef
  /** Default: 1. */
  readonly priority?: number | undefined
}
