import type { LinkRef } from '../link/link.ts'
import type { OnLink } from '../link/on-link.ts'

/** What passes the filter: `ingress` what comes in on the link, `egress` what leaves by it. */
export type FilterDirection = 'ingress' | 'egress'

/** A filter of a link's qdisc `clsact` (or `ingress`), anybody's. As read it may be passed to `deleteFilter`. */
export interface Filter {
  readonly linkIndex: number
  readonly direction: FilterDirection
  /** `bpf`, `u32`, `flower` … */
  readonly kind: string
  /** Lower is earlier. */
  readonly priority: number
  /** An EtherType; 3: packets of every protocol. */
  readonly protocol: number
  /** Its number among those of one priority. */
  readonly handle: number
  /** Of kind `bpf` only: the text that it was given, the program's id and tag, and whether the program's answer decides. */
  readonly name?: string
  readonly program?: FilterProgram
  readonly directAction?: boolean
}

/** A program as the kernel tells it. */
export interface FilterProgram {
  readonly id: number
  /** Of its instructions, 16 hexadecimal digits. */
  readonly tag: string
}

/** A loaded eBPF program to put on a link, whose answer decides (direct action); the link needs the qdisc `clsact`. */
export interface NewFilter extends OnLink, FilterPlace {
  /** Its descriptor, which may be closed afterwards. */
  readonly program: number
  /** What others see in `tc filter show`, at most 255 bytes. */
  readonly name: string
}

/** Where a filter is among those of a link. */
export interface FilterPlace {
  readonly direction: FilterDirection
  /** Default: 1. */
  readonly priority?: number | undefined
  /** Default: 1. */
  readonly handle?: number | undefined
}

/** A filter to delete. */
export interface OldFilter extends OnLink, FilterPlace {
  /** Default: `bpf`. One of another kind is left there, as is one with another name or program, where they are said. */
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly program?: { readonly id: number } | undefined
}

/** Which filters to list. */
export interface FilterFilter {
  readonly link?: LinkRef
  readonly direction?: FilterDirection
}
