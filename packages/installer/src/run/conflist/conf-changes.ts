import { chmodSync, unlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { Change } from '../../change.ts'
import { conflistName } from '../../conf/conf-name.ts'
import { diffLines } from '../../conf/diff.ts'
import type { DisplacedFiles, LateWrite } from '../../files/displaced.ts'
import { assertUnchanged, readRegular, type Snapshot } from '../../files/read-regular.ts'
import { convertConf, replaceFile } from '../../files/replace-file.ts'
import { toInstallError } from '../../install-error.ts'

/** Parameters of {@link replaceConf}. */
interface NewText {
  readonly path: string
  readonly before: Snapshot | undefined
  readonly text: string
  readonly reason: string
  /** Type of the installed plugin, as in its configuration. */
  readonly type: string
  /** Permissions of a file that only the installer writes. A file of another program keeps its permissions. */
  readonly ownMode?: number
  /** Set that keeps replaced files open, because another program may still write to them. */
  readonly displaced?: DisplacedFiles
  readonly done?: () => void
}

/** Plans to replace the text of a file in the CNI network folder. */
export function replaceConf({ path, before, text, reason, type, ownMode, displaced, done }: NewText): Change {
  return {
    artefact: 'conflist',
    action: before === undefined ? 'create' : 'replace',
    path,
    reason,
    diff: diffLines(before?.bytes.toString('utf8'), text),
    texts: new Map([[basename(path), text]]),
    apply() {
      const exactMode = ownMode !== undefined
      replaceFile({ path, text, mode: ownMode ?? 0o600, exactMode, before, type, displaced })
      done?.()
    },
  }
}

/** Parameters of {@link convertToList}. */
interface Conversion {
  /** The single configuration (`x.conf`) that is converted to a list. */
  readonly before: Snapshot
  /** The `x.conflist` of an earlier conversion, which may be overwritten. */
  readonly existing: Snapshot | undefined
  readonly text: string
  /** Type of the installed plugin, as in its configuration. */
  readonly type: string
  readonly displaced: DisplacedFiles
  readonly done: () => void
}

/** Plans to convert the single configuration `x.conf` to the list `x.conflist`. */
export function convertToList({ before, existing, text, type, displaced, done }: Conversion): Change {
  const { path } = before
  return {
    artefact: 'conflist',
    action: 'convert',
    path,
    reason: 'a chain needs a list',
    diff: diffLines(before.bytes.toString('utf8'), text),
    texts: new Map([
      [basename(path), undefined],
      [conflistName(basename(path)), text],
    ]),
    apply() {
      convertConf({ path, text, mode: 0o600, before, type, displaced }, existing)
      done()
    },
  }
}

/** Plans to restore a late write: another program has written to a file after the installer replaced it. */
export function putBack({ path, bytes, mode, done }: LateWrite, type: string, displaced: DisplacedFiles): Change {
  const before = readRegular(path)
  return {
    artefact: 'conflist',
    action: before === undefined ? 'create' : 'replace',
    path,
    reason: 'it was written to through a descriptor from before',
    diff: diffLines(before?.bytes.toString('utf8'), bytes.toString('utf8')),
    apply() {
      replaceFile({ path, text: bytes, mode, before, type, displaced })
      done()
    },
  }
}

/** Plans to change the permissions of a file in the CNI network folder. */
export function chmodConf(path: string, mode: number, reason: string): Change {
  return { artefact: 'conflist', action: 'chmod', path, reason, apply: () => chmodSync(path, mode) }
}

/** Plans to remove a file of the CNI network folder that only the installer writes. */
export function removeConf(before: Snapshot, reason: string): Change {
  const { path } = before
  return {
    artefact: 'conflist',
    action: 'remove',
    path,
    reason,
    diff: diffLines(before.bytes.toString('utf8'), undefined),
    texts: new Map([[basename(path), undefined]]),
    apply() {
      assertUnchanged(path, before)
      try {
        unlinkSync(path)
      } catch (error) {
        throw toInstallError(error, 'cannot remove', path)
      }
    },
  }
}
