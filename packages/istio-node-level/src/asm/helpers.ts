/**
 * Type of an argument of a call, in one register.
 * - `key`: stack memory of the map's key size
 * - `in`, `out`: memory that the kernel reads or writes, with its length in the named register
 */
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
  /** Arguments in `r1`, `r2` … */
  readonly takes: readonly Argument[]
  /** Type of the result. `value` and `socket` may be null. */
  readonly returns: 'number' | 'value' | 'socket'
  /** True if the helper releases the socket in `r1`. */
  readonly releases?: boolean
}

/** Helpers that our programs call. None of them requires a GPL license. */
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

/** Name of a helper. */
export type HelperName = keyof typeof helpers
