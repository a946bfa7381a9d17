import { memo } from '../memo.ts'
import type { CaptureConfig } from '../redirect/config.ts'
import type { ServedBackend } from './protocol.ts'

/** What writes the rules of a pod to a namespace that has none; `undefined` where only a program can write one of them. */
export type MakeBatch = (config: CaptureConfig, backend: ServedBackend) => Uint8Array | undefined

/** Remembers batches: most pods of a node are redirected alike, and making one takes longer than all else of an answer. */
export const keptBatches = (make: MakeBatch): MakeBatch =>
  memo(make, (key, batch) => batch !== undefined && key.length + batch.byteLength <= LARGEST)

// internal

/** Bytes: 7 KiB is usual. */
const LARGEST = 32 * 1024
