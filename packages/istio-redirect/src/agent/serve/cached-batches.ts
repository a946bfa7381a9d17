import type { makeBatch } from '../../decide/make-batch.ts'
import { memo } from '../../memo.ts'

/** Caches the kernel batches of rules, because most pods of a node have equal settings. */
export const cachedBatches = (make: typeof makeBatch): typeof makeBatch =>
  memo(make, (key, batch) => batch !== undefined && key.length + batch.byteLength <= MAX_BYTES)

// internal

/** Maximal size in bytes of a cached kernel batch with its cache key. The usual size is 7 KiB. */
const MAX_BYTES = 32 * 1024
