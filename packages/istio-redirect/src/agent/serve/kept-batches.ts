import type { makeBatch } from '../../decide/make-batch.ts'
import { memo } from '../../memo.ts'

/**
 * Caches batches. Most pods of a node have equal capture settings, and making the batch is the slowest step of an
 * answer.
 */
export const keptBatches = (make: typeof makeBatch): typeof makeBatch =>
  memo(make, (key, batch) => batch !== undefined && key.length + batch.byteLength <= LARGEST)

// internal

/** Maximal size of key and batch in bytes; 7 KiB is usual. */
const LARGEST = 32 * 1024
