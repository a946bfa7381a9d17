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

/** What {@link replaceFile} writes. */
export interface Replacement {
  readonly path: string
  readonly text: string | Uint8Array
  /** The permissions of a new file; an existing one keeps its own unless `exactMode`, and its owner may read it. */
  readonly mode: number
  readonly exactMode?: boolean
  /** The file as it was read, `undefined` for none: when it is another by now, nothing is written. */
  readonly before: Snapshot | undefined
  /** The plugin's type, which marks the temporary file. */
  readonly type: string
  /** Keeps the replaced file, which another program may have open. */
  readonly displaced?: DisplacedFiles | undefined
}

/**
 * Replaces a file by way of a temporary one in the same folder: readers see the old text or the new. Of a symbolic link
 * the target is replaced. containerd looks at its folder only, so a link whose target is elsewhere is put in place anew.
 *
 * @throws {@link InstallError} `CHANGED` when the file is not what was read, `IO`.
 */
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
 * Replaces `x.conf` by `x.conflist`. The list appears complete before the old file goes, so that a runtime finds one of
 * them at any time; another's `x.conflist` is never overwritten.
 *
 * @param existing - the `x.conflist` that may be overwritten, because an earlier conversion left it.
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

/** Takes the name from the file that was read, unless it is another by now; what is written to it later is seen. */
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
      // or a power cut leaves an empty file under the final name on some file systems
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
    // without the right to give files away the new one is ours, as with any other editor
    if (errnoOf(error) !== 'EPERM') throw error
  }
}

/** A link fails where a rename would overwrite. File systems without hard links were looked at just before. */
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
    // the path is a link by way of a folder, or the folder is read-only: the content is in place all the same
    removeQuietly(temporary)
  }
}
