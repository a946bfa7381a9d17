const { CNI_DEEP, CNI_FUZZ_RUNS, CNI_SEED = '' } = process.env
const [given = '', path] = CNI_SEED.split(':')

/** True for `npm run test:deep`, which runs every case. `npm test` runs what `sample` and `times` select. */
export const deep = CNI_DEEP === '1'

/** True if many random cases are requested. Each such run draws new cases. */
const long = deep || CNI_FUZZ_RUNS !== undefined

/** Seed of samples and random cases: `$CNI_SEED`, else a new one each day or long run. */
export const seed = given !== '' ? Number(given) : long ? Date.now() % 0x7fff_ffff : Math.floor(Date.now() / 86_400_000)

/**
 * Options for fast-check. `CNI_SEED=SEED` repeats all cases. `CNI_SEED=SEED:PATH`, as a failure prints it, repeats one
 * case.
 */
export const drawn: { readonly seed: number; readonly path?: string } = path === undefined ? { seed } : { seed, path }

/** Title of a suite with samples. A failure then names the seed. */
export const sampleTitle = deep ? 'all cases' : `CNI_SEED=${seed}`

/** Number of random cases: `$CNI_FUZZ_RUNS`, else `count`, or ten times as many in `npm run test:deep`. */
export const times = (count: number): number => Number(CNI_FUZZ_RUNS ?? (deep ? count * 10 : count))

/**
 * The cases to run: one of each class, another one with each seed; all of them by `npm run test:deep`.
 *
 * @example
 * test.each(sample(defects, ({ check }) => check))('$check finds $defect', …)
 */
export function sample<Case>(
  cases: readonly Case[],
  classOf: (one: Case) => unknown,
  options: { readonly deep?: boolean; readonly seed?: number } = {},
): Case[] {
  const from = { deep, seed, ...options }
  if (from.deep) return [...cases]
  const classes = new Map<unknown, Case[]>()
  for (const one of cases) classes.set(classOf(one), [...(classes.get(classOf(one)) ?? []), one])
  return [...classes.values()].flatMap((all, index) => {
    const drawn = all[(from.seed + index) % all.length]
    return drawn === undefined ? [] : [drawn]
  })
}
