import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename } from 'node:path'

/** A folder to watch, and which of its files matter; or a file alone. */
export interface WatchedFolder {
  readonly path: string
  /** `rename`: it was created, replaced or removed; `change`: written, or given other permissions or times. */
  readonly matters: (name: string, kind: 'rename' | 'change') => boolean
}

/** Watches on folders and files, which also notice that one itself was replaced. */
export interface FolderWatches {
  /** Watches exactly these folders; `false` when one of them cannot be watched now, for it may not exist. */
  sync(folders: readonly WatchedFolder[]): boolean
  close(): void
}

/** Calls `wake` when a file that matters was created, written, renamed, removed or got other permissions. */
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
      // A file that was replaced is told to have ended when nobody has it open any more.
      const isReplaced = kind === 'rename' || identity(path)?.key !== key
      if (isReplaced) drop(path)
      if (matters(basename(path), isReplaced ? 'rename' : kind)) wake()
    }
    try {
      const watcher = watch(path, (kind, name) => {
        if (!isFolder) return ofFile(kind)
        // The folder's own end is told under its own name. Its inode number may be used again at once.
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
      // no more watches, or gone again: it is looked at by the clock
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
    // does not exist
    return undefined
  }
}
