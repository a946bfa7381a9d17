import { checkInteger } from '../check.ts'
import type { TbfOptions } from '../port/arguments.ts'
import type { Qdisc } from '../port/qdisc.ts'

/** The kernel counts time in ticks of this many nanoseconds, and the time of a burst in 32 bits. */
const TICK = 64
const U32 = 0xffffffff

/** Milliseconds that a packet may wait. */
const LATENCY = 25

/**
 * Options of a token bucket for a limit in the units of CNI, clamped to what the kernel can count: at least one byte a
 * second, a burst of at most 274 s and 4 GiB, a queue of at most 4 GiB. Runtimes send 4294967295 bits as the burst of every rate.
 *
 * @example
 * await rtnl.replaceQdisc({ kind: 'tbf', link: 'veth0', tbf: tbf({ bitsPerSecond: 1_000_000, burstBits: 4294967295 }) })
 */
export function tbf({
  bitsPerSecond,
  burstBits = 0,
  latency = LATENCY,
}: {
  readonly bitsPerSecond: number
  /** Bits that may leave at once. Default, also for 0: the bits of 20 ms, and at least 32 KiB. */
  readonly burstBits?: number | undefined
  /** Milliseconds that a packet may wait. Default: 25. */
  readonly latency?: number | undefined
}): NonNullable<Qdisc['tbf']> {
  checkInteger(bitsPerSecond, 1, Number.MAX_SAFE_INTEGER, 'tbf.bitsPerSecond')
  checkInteger(burstBits, 0, Number.MAX_SAFE_INTEGER, 'tbf.burstBits')
  checkInteger(latency, 0, 1_000_000, 'tbf.latency')
  const rate = Math.max(1, Math.floor(bitsPerSecond / 8))
  const burst = burstBits === 0 ? Math.max(32 * 1024, Math.floor(rate / 50)) : Math.ceil(burstBits / 8)
  const options = { bitsPerSecond: rate * 8, burstBytes: Math.min(burst, mostBurst(rate)) }
  return { ...options, limitBytes: Math.min(U32, limitOf({ ...options, latency })) }
}

/** True if two token buckets are equal, except for what the kernel rounds: a CHECK compares the qdisc as read with its options. */
export function isSameTbf(there: NonNullable<Qdisc['tbf']>, wanted: NonNullable<Qdisc['tbf']>): boolean {
  const bytesPerTick = ((wanted.bitsPerSecond / 8) * TICK) / 1e9
  return (
    Math.floor(there.bitsPerSecond / 8) === Math.floor(wanted.bitsPerSecond / 8) &&
    Math.abs(there.burstBytes - wanted.burstBytes) <= bytesPerTick + 1 &&
    limitOf(there) === limitOf(wanted)
  )
}

/** The bytes that may wait. */
export function limitOf({ bitsPerSecond, burstBytes, limitBytes, latency = LATENCY }: TbfOptions): number {
  return limitBytes ?? Math.floor(((bitsPerSecond / 8) * latency) / 1000) + burstBytes
}

/** The largest burst in bytes that the kernel can count at this rate in bytes a second. */
export function mostBurst(rate: number): number {
  return Math.min(U32, Math.floor((U32 * TICK * rate) / 1e9))
}

/** The bytes of a burst that takes so many ticks. */
export function burstOf(ticks: number, rate: number): number {
  return Math.round(((ticks + 0.5) * TICK * rate) / 1e9)
}
