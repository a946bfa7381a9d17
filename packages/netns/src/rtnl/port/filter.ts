/**
 * Filter of a link's qdisc `clsact` or `ingress`, added by any program. A filter as read can be passed to
 * `deleteFilter`.
 */
export interface Filter {
  readonly linkIndex: number
  /** `ingress` filters packets that arrive on the link, `egress` packets that leave through it. */
  readonly direction: 'ingress' | 'egress'
  /** Kind: `bpf`, `u32`, `flower` … */
  readonly kind: string
  /** Lower priorities run first. */
  readonly priority: number
  /** EtherType; 3 means packets of all protocols. */
  readonly protocol: number
  /** Number that identifies the filter among the filters of the same priority. */
  readonly handle: number
  /** Name of the filter. Only kind `bpf` has `name`, `program` and `directAction`. */
  readonly name?: string
  readonly program?: {
    readonly id: number
    /** Tag of the program's instructions: 16 hexadecimal digits. */
    readonly tag: string
  }
  readonly directAction?: boolean
}
