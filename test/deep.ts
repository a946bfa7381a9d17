const { CNI_DEEP, CNI_FUZZ_RUNS, CNI_SEED = '' } = process.env
const [given = '', path] = CNI_SEED.split(':')

/**
 * True in `npm run test:deep`, which runs every case of a test. In `npm test`, the functions `sample` and `times`
 * select cases.
 */
export const deep = CNI_DEEP === '1'

/**
 * True if the command or a variable requests many random cases. Such a run has a new seed, unless `CNI_SEED` is set.
 */
const long = deep || CNI_FUZZ_RUNS !== undefined

/**
 * Seed for random cases and for the choice of sample cases. The number in `CNI_SEED` is used first. Otherwise, a run of
 * many cases has a new seed. All other runs of one day have the same seed.
 */
export const seed = given !== '' ? Number(given) : long ? Date.now() % 0x7fff_ffff : Math.floor(Date.now() / 86_400_000)

/**
 * Options for fast-check. `CNI_SEED=SEED` repeats all cases. `CNI_SEED=SEED:PATH`, as a failure prints it, repeats one
 * case.
 */
export const drawn: { readonly seed: number; readonly path?: string } = path === undefined ? { seed } : { seed, path }

/**
 * Title of a test suite that runs only a sample of its cases. The title contains the seed, so that a failure can be
 * repeated.
 */
export const sampleTitle = deep ? 'all cases' : `CNI_SEED=${seed}`

/**
 * Number of random cases for a test: `CNI_FUZZ_RUNS` if set, else `count`. Without `CNI_FUZZ_RUNS`, `npm run test:deep`
 * uses ten times `count`.
 */
export const times = (count: number): number => Number(CNI_FUZZ_RUNS ?? (deep ? count * 10 : count))

/**
 * Groups the cases by `classOf` and chooses one case of each group. The choice depends on the seed. In `npm run
 * test:deep`, chooses all cases.
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
