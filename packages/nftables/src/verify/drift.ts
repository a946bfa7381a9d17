import type { Drift } from '../wire/nft-error.ts'

/** True if the ruleset and the kernel do not differ. */
export const isClean = ({ missing, unexpected, changed }: Drift): boolean =>
  missing.length === 0 && unexpected.length === 0 && changed.length === 0

/** Differences between a ruleset and the kernel as text, one per line. */
export function driftText({ missing, unexpected, changed }: Drift): string {
  return [
    ...missing.map((line) => `missing ${locationText(line)}`),
    ...unexpected.map((line) => `unexpected ${locationText(line)}`),
    ...changed.map((line) => `${locationText(line)}: ${line.actual}, expected ${line.expected}`),
  ].join('\n')
}

/** Text that names the table, chain, set or rule of a difference. */
export function locationText({ family, table, chain, set, rule }: Drift['missing'][number]): string {
  const where = `table ${family} ${table}`
  if (chain === undefined) return set === undefined ? where : `set ${set} in ${where}`
  return rule === undefined ? `chain ${chain} in ${where}` : `rule in ${where}, chain ${chain}: ${rule}`
}
