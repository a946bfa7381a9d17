import type { makeBatch } from '../../decide/make-batch.ts'
import { memo } from '../../memo.ts'

/** Remembers batches: most pods of a node are redirected alike, and making one takes longer than all else of an answer. */
export const keptBatches = (make: typeof makeBatch): typeof makeBatch =>
  memo(make, (key, batch) => batch !== undefined && key.length + batch.byteLength <= LARGEST)

// internal

/** Size of key and batch in bytes; 7 KiB is usual. */
const LARGEST = 32 * 1024
