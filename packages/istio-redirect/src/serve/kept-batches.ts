import type { CaptureConfig } from '../redirect/config.ts'
import type { ServedBackend } from './protocol.ts'

/** What writes the rules of a pod to a namespace that has none; `undefined` where only a program can write one of them. */
export type MakeBatch = (config: CaptureConfig, backend: ServedBackend) => Uint8Array | undefined

/**
 * Keeps what was made: most pods of a node are redirected alike, and making it takes longer than all else of an answer.
 * What was asked for last is kept, and nothing that is large.
 */
export function keptBatches(make: MakeBatch): MakeBatch {
  const kept = new Map<string, Uint8Array>()
  return (config, backend) => {
    // All that it depends on: records keep the same.
    const key = `${backend} ${JSON.stringify(config)}`
    const batch = kept.get(key) ?? make(config, backend)
    if (batch === undefined || key.length + batch.byteLength > LARGEST) return batch
    kept.delete(key)
    kept.set(key, batch)
    const [oldest = key] = kept.keys()
    if (kept.size > MOST) kept.delete(oldest)
    return batch
  }
}

// internal

/** How many are kept, and of how many bytes: 7 KiB is usual. */
const MOST = 32
const LARGEST = 32 * 1024
