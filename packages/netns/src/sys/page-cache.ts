import { loadNative } from './load-native.ts'
import { tryLoadSys } from './load-sys.ts'
import type { Native } from './native.ts'

const DONTNEED = 4

interface Advice {
  posix_fadvise(fd: number, offset: number, length: number, advice: number): number
}

let loaded: Native<Advice> | undefined

/**
 * Tells the kernel that nobody will read this file soon (`POSIX_FADV_DONTNEED`): a process with a memory limit is charged
 * for the page cache of what it copies. What is not on the disk yet, and what a running program is mapped from, stays
 * cached. Without FFI nothing happens: it is advice.
 */
export function dropPageCache(fd: number): void {
  if (tryLoadSys() === undefined) return
  loaded ??= loadNative<Advice>({ posix_fadvise: 'iiii' })
  loaded.functions.posix_fadvise(fd, 0, 0, DONTNEED)
}
