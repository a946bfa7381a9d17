import { loadNative } from './load-native.ts'
import { tryLoadSys } from './load-sys.ts'
import type { Native } from './native.ts'

const DONTNEED = 4

interface Advice {
  posix_fadvise(fd: number, offset: number, length: number, advice: number): number
}

let loaded: Native<Advice> | undefined

/**
 * Tells the kernel to drop a file from the page cache (`POSIX_FADV_DONTNEED`). Call it after copying files, because
 * cached files count towards the process's memory limit. The kernel keeps bytes not yet written to disk, and files of
 * running programs. Without FFI the function does nothing.
 */
export function dropPageCache(fd: number): void {
  if (tryLoadSys() === undefined) return
  loaded ??= loadNative<Advice>({ posix_fadvise: 'iiii' })
  loaded.functions.posix_fadvise(fd, 0, 0, DONTNEED)
}
