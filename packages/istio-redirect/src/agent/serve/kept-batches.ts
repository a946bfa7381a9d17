import type { makeBatch } from '../../decide/make-batch.ts'
import { memo } from '../../memo.ts'

/**
 * Caches the kernel batches of rules. Most pods of a node have equal capture settings, and making the batch is the
 * slowest step of an answer.
 */
export const keptBatches = (make: typeof makeBatch): typeof makeBatch =>
  memo(make, (key, batch) => batch !== undefined && key.length + batch.byteLength <= LARGEST)

// internal

/** Maximal size in bytes of a cached batch with its key. 7 KiB is usual. */
const LARGEST = 32 * 1024
