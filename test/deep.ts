const { CNI_DEEP, CNI_FUZZ_RUNS, CNI_SEED = '' } = process.env
const [given = '', path] = CNI_SEED.split(':')

/** True in `npm run test:deep`, which runs every case instead of a selection. */
export const deep = CNI_DEEP === '1'

/** True for test runs with many random cases. Each of these runs needs a new seed. */
const long = deep || CNI_FUZZ_RUNS !== undefined

/** Seed for random cases. Each long run has a new seed. All other runs of one day share a seed. */
export const seed = given !== '' ? Number(given) : long ? Date.now() % 0x7fff_ffff : Math.floor(Date.now() / 86_400_000)

/**
 * Options for fast-check. `CNI_SEED=SEED` repeats all cases. A failure prints `CNI_SEED=SEED:PATH`, which repeats one
 * case.
 */
export const drawn: { readonly seed: number; readonly path?: string } = path === undefined ? { seed } : { seed, path }

/** Title of a suite with sampled cases. The seed in the title makes a failure repeatable. */
export const sampleTitle = deep ? 'all cases' : `CNI_SEED=${seed}`

/** Number of random cases for a test, which `CNI_FUZZ_RUNS` overrides. */
export const times = (count: number): number => Number(CNI_FUZZ_RUNS ?? (deep ? count * 10 : count))

/**
 * Returns one case of each group, which the seed chooses. Returns all cases in `test:deep`.
 *
 * @example test.each(sample(defects, ({ check }) => check))('$check finds $defect', …)
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
