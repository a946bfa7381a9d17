const { CNI_DEEP, CNI_FUZZ_RUNS, CNI_SEED = '' } = process.env
const [given = '', path] = CNI_SEED.split(':')

/** True with `CNI_DEEP=1`: every case. */
export const deep = CNI_DEEP === '1'

/** Number of random cases: `$CNI_FUZZ_RUNS`, or ten times as many with `CNI_DEEP=1`. */
export const times = (count: number): number => Number(CNI_FUZZ_RUNS ?? (deep ? 10 * count : count))

/** `$CNI_SEED`, else another one each day, or in each run of many cases; printed, so that a failure can be repeated. */
export const seed =
  given !== '' ? Number(given) : deep || CNI_FUZZ_RUNS ? Date.now() % 0x7fff_ffff : Math.floor(Date.now() / 86_400_000)

/**
 * For a property of fast-check: `CNI_SEED=SEED` draws the same cases again, `CNI_SEED=SEED:PATH`, as a failure prints
 * them, that case alone.
 */
export const drawn: { readonly seed: number; readonly path?: string } = path === undefined ? { seed } : { seed, path }
