import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  linkSync,
  openSync,
  readlinkSync,
  renameSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errnoOf } from '@cni/types'
import { conflistName } from '../conf/conf-name.ts'
import { toInstallError } from '../install-error.ts'
import type { DisplacedFiles } from './displaced.ts'
import { permissionsOf, readable } from './permissions.ts'
import { assertUnchanged, openUnchanged, type Snapshot } from './read-regular.ts'
import { removeQuietly, temporaryPath } from './temporary.ts'

/** Parameters of {@link replaceFile}. */
export interface Replacement {
  readonly path: string
  readonly text: string | Uint8Array
  /** Permissions of a new file. Applies to a replaced file only with `exactMode`. */
  readonly mode: number
  readonly exactMode?: boolean
  /** The file as the installer read it. A changed file is not replaced. */
  readonly before: Snapshot | undefined
  /** The plugin's type, which becomes part of the temporary file's name. */
  readonly type: string
  /** Set of replaced files, which the installer watches for late writes. */
  readonly displaced?: DisplacedFiles | undefined
}

/** Replaces a file atomically. Recreates a symbolic link, because containerd watches only the link's folder. */
export function replaceFile(replacement: Replacement): void {
  const { path, before, type } = replacement
  const target = before?.target ?? path
  try {
    writeAside(replacement, target, (temporary) => {
      const successor = statSync(temporary)
      displace(replacement, successor, () => renameSync(temporary, target))
    })
    if (dirname(target) !== dirname(path)) renewLink(path, type)
  } catch (error) {
    throw toInstallError(error, 'cannot write', path)
  }
}

/**
 * Replaces `x.conf` by `x.conflist`. Creates the list before removing `x.conf`, because runtimes must always find one
 * of both files.
 */
export function convertConf(replacement: Replacement, existing: Snapshot | undefined): void {
  const { path, before } = replacement
  const list = join(dirname(path), conflistName(basename(path)))
  try {
    writeAside(replacement, list, (temporary) => {
      assertUnchanged(path, before)
      assertUnchanged(list, existing)
      if (existing === undefined) {
        linkNew(temporary, list)
        removeQuietly(temporary)
      } else renameSync(temporary, list)
    })
    displace(replacement, undefined, () => unlinkSync(path))
  } catch (error) {
    throw toInstallError(error, 'cannot convert', path)
  }
}

/** Replaces or removes an unchanged file. Keeps the old file open to detect late writes. */
function displace({ path, before, displaced }: Replacement, successor: Stats | undefined, take: () => void): void {
  const fd = openUnchanged(path, before)
  try {
    take()
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw error
  }
  if (fd === undefined || before === undefined) return
  if (displaced === undefined) closeSync(fd)
  else displaced.add(path, { fd, bytes: before.bytes }, successor)
}

function writeAside(replacement: Replacement, target: string, commit: (temporary: string) => void): void {
  const { text, before, type, mode, exactMode = false } = replacement
  const temporary = temporaryPath(target, type)
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
    const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      const data = typeof text === 'string' ? Buffer.from(text) : text
      for (let offset = 0; offset < data.length; ) offset += writeSync(fd, data, offset)
      if (before !== undefined && !exactMode) keepOwner(fd, before)
      fchmodSync(fd, before === undefined || exactMode ? mode : readable(permissionsOf(before.stat)))
      // Flushes the temporary file, because a power cut could otherwise leave an empty file.
      fdatasyncSync(fd)
    } finally {
      closeSync(fd)
    }
    commit(temporary)
  } catch (error) {
    removeQuietly(temporary)
    throw error
  }
}

function keepOwner(fd: number, before: Snapshot): void {
  const { uid, gid } = before.stat
  if (uid === process.geteuid?.() && gid === process.getegid?.()) return
  try {
    fchownSync(fd, uid, gid)
  } catch (error) {
    // EPERM: the kernel denies the change of owner. The new file keeps the installer's user as its owner.
    if (errnoOf(error) !== 'EPERM') throw error
  }
}

/** Uses a hard link, because a rename would overwrite another program's new file. */
function linkNew(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno !== 'EPERM' && errno !== 'ENOTSUP' && errno !== 'EOPNOTSUPP' && errno !== 'ENOSYS') throw error
    renameSync(temporary, path)
  }
}

function renewLink(path: string, type: string): void {
  const temporary = temporaryPath(path, type)
  try {
    symlinkSync(readlinkSync(path), temporary)
    renameSync(temporary, path)
  } catch {
    // Failure to recreate the symbolic link is harmless, because the link's target has the new content.
    removeQuietly(temporary)
  }
}
