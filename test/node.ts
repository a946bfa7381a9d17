import { fileURLToPath } from 'node:url'

/**
 * Option for Node.js that caches compiled code on disk. With the cache, programs with many modules start much faster.
 */
export const KEEPS_COMPILED = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`

/** Node.js options with which tests start a TypeScript file of this repository. */
export const NODE_FLAGS = ['--conditions=@cni/source', KEEPS_COMPILED] as const

/** Command and options with which tests start a TypeScript file of this repository. */
export const NODE = [process.execPath, ...NODE_FLAGS] as const
