import { fileURLToPath } from 'node:url'

/** Node option that caches compiled code. Programs with many modules start much faster. */
export const KEEPS_COMPILED = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`

/** Node options for a TypeScript file of the repository. */
export const NODE_FLAGS = ['--conditions=@cni/source', KEEPS_COMPILED] as const

/** Beginning of a command line for a TypeScript file of the repository. */
export const NODE = [process.execPath, ...NODE_FLAGS] as const
