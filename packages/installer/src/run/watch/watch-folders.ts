import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename } from 'node:path'

/** A folder to watch, with a filter for its file names. The path may also be a single file. */
export interface WatchedFolder {
  readonly path: string
  /** True if an event must wake the installer. `rename` includes the creation of a file. */
  readonly matters: (name: string, kind: 'rename' | 'change') => boolean
}

/** Watches on folders and files. A watch also notices if the watched folder or file itself is replaced. */
export interface FolderWatches {
  /** Watches exactly the given folders. Returns `false` if a folder cannot be watched now. */
  sync(folders: readonly WatchedFolder[]): boolean
  close(): void
}

/**
 * Watches folders. Calls `wake` when a relevant file is created, written, renamed or removed, or its permissions
 * change.
 */
export function watchFolders(wake: () => void): FolderWatches {
  const open = new Map<string, { key: string; watcher: FSWatcher }>()
  const drop = (path: string): void => {
    open.get(path)?.watcher.close()
    open.delete(path)
  }
  const arm = ({ path, matters }: WatchedFolder): boolean => {
    const found = identity(path)
    if (found !== undefined && open.get(path)?.key === found.key) return true
    drop(path)
    if (found === undefined) return false
    const { key, isFolder } = found
    const ofFile = (kind: 'rename' | 'change'): void => {
      // A changed inode means a replaced file. inotify reports the replacement of an open file late.
      const isReplaced = kind === 'rename' || identity(path)?.key !== key
      if (isReplaced) drop(path)
      if (matters(basename(path), isReplaced ? 'rename' : kind)) wake()
    }
    try {
      const watcher = watch(path, (kind, name) => {
        if (!isFolder) return ofFile(kind)
        // Closes the watch at once, because a new folder may get the same inode number.
        const itself = name === null || name === basename(path)
        if (itself) drop(path)
        if (itself || matters(name, kind)) wake()
      })
      watcher.on('error', () => {
        drop(path)
        wake()
      })
      open.set(path, { key, watcher })
    } catch {
      // The watch limit is reached, or the folder is gone. Regular checks find later changes.
      return false
    }
    return identity(path)?.key === key
  }
  return {
    sync(folders) {
      for (const path of open.keys()) if (!folders.some((one) => one.path === path)) drop(path)
      return folders.map(arm).every(Boolean)
    },
    close() {
      for (const path of [...open.keys()]) drop(path)
    },
  }
}

function identity(path: string): { readonly key: string; readonly isFolder: boolean } | undefined {
  try {
    const stat = statSync(path)
    return { key: `${stat.dev}:${stat.ino}`, isFolder: stat.isDirectory() }
  } catch {
    // The watched folder or file does not exist.
    return undefined
  }
}
