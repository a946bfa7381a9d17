/** Argument of a kernel helper. `in` and `out` name the register with the buffer's length. */
export type Argument =
  | 'context'
  | 'number'
  | 'map'
  | 'key'
  | 'socket'
  | { readonly in: 'r3' | 'r4' }
  | { readonly out: 'r4' }

/** Helper function of the kernel that an eBPF program can call. */
export interface Helper {
  readonly id: number
  /** Types of the helper's arguments, in the order of the registers `r1`, `r2` … */
  readonly takes: readonly Argument[]
  /** Type of the helper's result in `r0`. A `value` (pointer into a map) and a `socket` may be null. */
  readonly returns: 'number' | 'value' | 'socket'
  /** True if the helper releases a reference to a socket. The register `r1` has the socket. */
  readonly releases?: boolean
}

/** Kernel helpers that the eBPF programs of this package call. None of these helpers requires a GPL license. */
export const helpers = {
  map_lookup: { id: 1, takes: ['map', 'key'], returns: 'value' },
  skb_store_bytes: { id: 9, takes: ['context', 'number', { in: 'r4' }, 'number', 'number'], returns: 'number' },
  redirect: { id: 23, takes: ['number', 'number'], returns: 'number' },
  skb_load_bytes: { id: 26, takes: ['context', 'number', { out: 'r4' }, 'number'], returns: 'number' },
  sk_lookup_udp: { id: 85, takes: ['context', { in: 'r3' }, 'number', 'number', 'number'], returns: 'socket' },
  sk_release: { id: 86, takes: ['socket'], returns: 'number', releases: true },
  skc_lookup_tcp: { id: 99, takes: ['context', { in: 'r3' }, 'number', 'number', 'number'], returns: 'socket' },
  sk_assign: { id: 124, takes: ['context', 'socket', 'number'], returns: 'number' },
} as const satisfies Readonly<Record<string, Helper>>

/** Name of a kernel helper function that the eBPF programs call. */
export type HelperName = keyof typeof helpers
