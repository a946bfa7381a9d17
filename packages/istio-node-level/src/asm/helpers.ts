/**
 * What a call wants in one register. `key`: bytes of the stack, as many as the map's keys have. `in` and `out`: memory
 * that is read or written, as long as the register says that is named.
 */
export type Argument =
  | 'context'
  | 'number'
  | 'map'
  | 'key'
  | 'socket'
  | { readonly in: 'r3' | 'r4' }
  | { readonly out: 'r4' }

/** A function of the kernel. */
export interface Helper {
  readonly id: number
  /** In `r1`, `r2` … */
  readonly takes: readonly Argument[]
  /** `value` and `socket` may be null. */
  readonly returns: 'number' | 'value' | 'socket'
  /** The socket in `r1` is given back. */
  readonly releases?: boolean
}

/** The functions that our programs call; none of them asks for a GPL program. */
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

/** Its name. */
export type HelperName = keyof typeof helpers
