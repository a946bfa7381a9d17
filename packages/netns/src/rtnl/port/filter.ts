/** A filter of a link's qdisc `clsact` (or `ingress`), anybody's. As read it may be passed to `deleteFilter`. */
export interface Filter {
  readonly linkIndex: number
  /** `ingress`: filters what comes in on the link; `egress`: what leaves by it. */
  readonly direction: 'ingress' | 'egress'
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
  readonly program?: {
    readonly id: number
    /** Of its instructions, 16 hexadecimal digits. */
    readonly tag: string
  }
  readonly directAction?: boolean
}
