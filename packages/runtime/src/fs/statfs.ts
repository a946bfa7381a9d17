import { call } from '../sys/numbers.ts'
import { check, type PathLike, pathOf } from './arguments.ts'

/** Members of struct statfs, words of 8 bytes from the beginning. */
const names = ['type', 'bsize', 'blocks', 'bfree', 'bavail', 'files', 'ffree'] as const

export type StatFs<N extends number | bigint> = Record<(typeof names)[number], N>

export function statfsSync(path: PathLike, options?: { readonly bigint?: boolean }): StatFs<number> | StatFs<bigint> {
  const words = new BigUint64Array(15)
  const text = pathOf(path)
  check(call('statfs', text, words), 'statfs', text)
  const values = names.map((name, index) => [name, words[index] ?? 0n] as const)
  if (options?.bigint === true) return Object.fromEntries(values) as StatFs<bigint>
  return Object.fromEntries(values.map(([name, value]) => [name, Number(value)])) as StatFs<number>
}
