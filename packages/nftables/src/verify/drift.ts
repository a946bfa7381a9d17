import type { Drift } from '../wire/nft-error.ts'

/** Whether there is no difference at all. */
export const isClean = ({ missing, unexpected, changed }: Drift): boolean =>
  missing.length === 0 && unexpected.length === 0 && changed.length === 0

/** The difference in words, a line for each; `''` when there is none. */
export function driftText({ missing, unexpected, changed }: Drift): string {
  return [
    ...missing.map((line) => `missing ${placeText(line)}`),
    ...unexpected.map((line) => `unexpected ${placeText(line)}`),
    ...changed.map((line) => `${placeText(line)}: ${line.actual}, expected ${line.expected}`),
  ].join('\n')
}

/** What a line is about. */
export function placeText({ family, table, chain, set, rule }: Drift['missing'][number]): string {
  const where = `table ${family} ${table}`
  if (chain === undefined) return set === undefined ? where : `set ${set} in ${where}`
  return rule === undefined ? `chain ${chain} in ${where}` : `rule in ${where}, chain ${chain}: ${rule}`
}
