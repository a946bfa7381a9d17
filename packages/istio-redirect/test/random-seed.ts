const [given = '', path] = (process.env.CNI_SEED ?? '').split(':')

/** `$CNI_SEED`, else another one in each run; always printed, so that a failure can be repeated. */
export const seed = given === '' ? Date.now() % 0x7fff_ffff : Number(given)

/**
 * For a property of fast-check: `CNI_SEED=SEED` draws the same cases again, `CNI_SEED=SEED:PATH`, as a failure prints
 * them, that case alone.
 */
export const drawn: { readonly seed: number; readonly path?: string } = path === undefined ? { seed } : { seed, path }
