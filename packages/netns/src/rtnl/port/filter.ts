/**
 * Traffic filter (tc) of a link's qdisc `clsact` or `ingress`. A `Filter` from `getFilters` can be passed to
 * `deleteFilter`.
 */
export interface Filter {
  readonly linkIndex: number
  /** Direction of the filtered packets: `ingress` if they arrive on the link, `egress` if they leave through it. */
  readonly direction: 'ingress' | 'egress'
  /** Kind of the traffic filter: `bpf`, `u32`, `flower` … */
  readonly kind: string
  /** Priority of the traffic filter. Filters with lower priorities run first. */
  readonly priority: number
  /** EtherType of the filtered packets; 3 means packets of all protocols. */
  readonly protocol: number
  /** Number that identifies the traffic filter among the filters of the same priority. */
  readonly handle: number
  /** Name of the traffic filter. Only kind `bpf` has `name`, `program` and `directAction`. */
  readonly name?: string
  readonly program?: {
    readonly id: number
    /** Hash of the eBPF program's instructions (`tag` in bpftool): 16 hexadecimal digits. */
    readonly tag: string
  }
  readonly directAction?: boolean
}
