import { checkInteger } from '../check.ts'
import type { TbfOptions } from '../port/arguments.ts'
import type { Qdisc } from '../port/qdisc.ts'

/** Kernel tick in nanoseconds, the unit of a token bucket's burst. */
const TICK = 64
const U32 = 0xffffffff

/** Default for the longest time that a packet waits in the token bucket's queue, in milliseconds. */
const LATENCY = 25

/**
 * Converts a bandwidth limit in the units of CNI to token bucket options. Limits the values to the kernel's range:
 * - rate: at least one byte per second,
 * - burst: at most 274 s and 4 GiB,
 * - queue: at most 4 GiB.
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
  /**
   * Burst of the limit in bits; 0 selects the default. Default: the bits that the rate sends in 20 ms, but at least 32
   * KiB.
   */
  readonly burstBits?: number | undefined
  /** Longest time that a packet waits in the token bucket's queue, in milliseconds. Default: 25. */
  readonly latency?: number | undefined
}): NonNullable<Qdisc['tbf']> {
  checkInteger(bitsPerSecond, 1, Number.MAX_SAFE_INTEGER, 'tbf.bitsPerSecond')
  checkInteger(burstBits, 0, Number.MAX_SAFE_INTEGER, 'tbf.burstBits')
  checkInteger(latency, 0, 1_000_000, 'tbf.latency')
  const rate = Math.max(1, Math.floor(bitsPerSecond / 8))
  const burst = burstBits === 0 ? Math.max(32 * 1024, Math.floor(rate / 50)) : Math.ceil(burstBits / 8)
  const options = { bitsPerSecond: rate * 8, burstBytes: Math.min(burst, maxBurst(rate)) }
  return { ...options, limitBytes: Math.min(U32, limitOf({ ...options, latency })) }
}

/**
 * True if two token buckets are equal except for the kernel's rounding. Compares the kernel's qdisc with the wanted one
 * in CHECK.
 */
export function isSameTbf(there: NonNullable<Qdisc['tbf']>, wanted: NonNullable<Qdisc['tbf']>): boolean {
  const bytesPerTick = ((wanted.bitsPerSecond / 8) * TICK) / 1e9
  return (
    Math.floor(there.bitsPerSecond / 8) === Math.floor(wanted.bitsPerSecond / 8) &&
    Math.abs(there.burstBytes - wanted.burstBytes) <= bytesPerTick + 1 &&
    limitOf(there) === limitOf(wanted)
  )
}

/** Computes the limit of the token bucket's queue in bytes. */
export function limitOf({ bitsPerSecond, burstBytes, limitBytes, latency = LATENCY }: TbfOptions): number {
  return limitBytes ?? Math.floor(((bitsPerSecond / 8) * latency) / 1000) + burstBytes
}

/** Computes the largest burst in bytes that the kernel can represent for a rate in bytes per second. */
export function maxBurst(rate: number): number {
  return Math.min(U32, Math.floor((U32 * TICK * rate) / 1e9))
}

/** Converts the burst of a token bucket from kernel ticks to bytes. */
export function burstOf(ticks: number, rate: number): number {
  return Math.round(((ticks + 0.5) * TICK * rate) / 1e9)
}
