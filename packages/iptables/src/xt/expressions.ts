import type { Expression } from '@cni/nftables/wire'
import type { Structure } from './structure.ts'

/** Offsets and sizes of the addresses in the IP header. */
export const addressOffsets = { ipv4: { src: 12, dst: 16, size: 4 }, ipv6: { src: 8, dst: 24, size: 16 } } as const

/** Interface name that no interface has. iptables-nft writes it for `! -i +`. */
export const NO_INTERFACE = 'INVAL/D\0'

/** Number of seconds in each time unit of a `limit` rate. */
export const rateUnits: Readonly<Record<string, bigint>> = { sec: 1n, min: 60n, hour: 3600n, day: 86_400n }
export const USUAL_BURST = 5

// Freezes the nf_tables expression, because many rules share the same object.
const load = (key: 'l4proto' | 'iifname' | 'oifname'): Expression => Object.freeze({ name: 'meta', key, dreg: 1 })

/** nf_tables expression that loads the packet's transport protocol number. */
export const loadProtocol = load('l4proto')
export const loadInterface = { in: load('iifname'), out: load('oifname') } as const

export const counter: Expression = Object.freeze({ name: 'counter' })

export function loadNetwork(offset: number, len: number): Expression {
  return { name: 'payload', dreg: 1, base: 'network', offset, len }
}

export function compare(data: Uint8Array, not: boolean | undefined): Expression {
  return { name: 'cmp', sreg: 1, op: not === true ? 'neq' : 'eq', data }
}

export const maskWith = (mask: Uint8Array): Expression => ({
  ...{ name: 'bitwise', sreg: 1, dreg: 1, len: mask.length, mask, xor: new Uint8Array(mask.length) },
})

export function xtMatch(module: string, revision: number, { bytes }: Structure): Expression {
  return { name: 'match', module, revision, info: bytes }
}

export function xtTarget(module: string, revision: number, { bytes }: Structure): Expression {
  return { name: 'target', module, revision, info: bytes }
}
