/** `npm run test:deep`: every case of every suite. `npm test` leaves out what `sample` and `times` leave out. */
export const deep = process.env.CNI_DEEP === '1'

/** Chooses the samples. A day has the same ones in every process; `CNI_SEED` brings those of another day back. */
export const seed = Number(process.env.CNI_SEED ?? Math.floor(Date.now() / 86_400_000))

/** The title of a suite of samples. A failure then names the seed that chose them. */
export const sampleTitle = deep ? 'all cases' : `CNI_SEED=${seed}`

/** Number of random cases: ten times as many by `npm run test:deep`. */
export const times = (count: number): number => (deep ? count * 10 : count)

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
