import { call } from '../sys/numbers.ts'
import { check, type PathLike, pathOf } from './arguments.ts'

/** Positions of members in the kernel's struct statfs, as indexes of 8-byte words. */
const indexes = { type: 0, bsize: 1, frsize: 9, blocks: 2, bfree: 3, bavail: 4, files: 5, ffree: 6 }

export type StatFs<N extends number | bigint> = Record<keyof typeof indexes, N>

export function statfsSync(path: PathLike, options?: { readonly bigint?: boolean }): StatFs<number> | StatFs<bigint> {
  const words = new BigUint64Array(15)
  const text = pathOf(path)
  check(call('statfs', text, words), 'statfs', text)
  const values = Object.entries(indexes).map(([name, index]) => [name, words[index] ?? 0n] as const)
  if (options?.bigint === true) return Object.fromEntries(values) as StatFs<bigint>
  return Object.fromEntries(values.map(([name, value]) => [name, Number(value)])) as StatFs<number>
}
