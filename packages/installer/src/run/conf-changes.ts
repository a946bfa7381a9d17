import { chmodSync, unlinkSync } from 'node:fs'
import { diffLines } from '../conf/diff.ts'
import { isUnchanged, type Snapshot } from '../files/read-regular.ts'
import { convertConf, replaceFile } from '../files/replace-file.ts'
import { InstallError, toInstallError } from '../install-error.ts'
import type { Change } from './change.ts'

/** A file of the net folder gets another text; it keeps its permissions unless they are given. */
export function replaceConf(
  file: { readonly path: string; readonly before: Snapshot | undefined; readonly ownMode?: number },
  text: string,
  reason: string,
  type: string,
  done: () => void = () => {},
): Change {
  const { path, before, ownMode } = file
  return {
    artefact: 'conflist',
    action: before === undefined ? 'create' : 'replace',
    path,
    reason,
    diff: diffLines(before?.bytes.toString('utf8'), text),
    apply() {
      replaceFile({ path, text, mode: ownMode ?? 0o600, exactMode: ownMode !== undefined, before, type })
      done()
    },
  }
}

/** `x.conf` becomes `x.conflist`. */
export function convertToList(
  before: Snapshot,
  existing: Snapshot | undefined,
  text: string,
  type: string,
  done: () => void,
): Change {
  return {
    artefact: 'conflist',
    action: 'convert',
    path: before.path,
    reason: 'a chain needs a list',
    diff: diffLines(before.bytes.toString('utf8'), text),
    apply() {
      convertConf({ path: before.path, text, mode: 0o600, before, type }, existing)
      done()
    },
  }
}

/** A file of the net folder gets other permissions. */
export function chmodConf(path: string, mode: number, reason: string): Change {
  return { artefact: 'conflist', action: 'chmod', path, reason, apply: () => chmodSync(path, mode) }
}

/** A file of our own goes. */
export function removeConf(before: Snapshot, reason: string): Change {
  const { path } = before
  return {
    artefact: 'conflist',
    action: 'remove',
    path,
    reason,
    diff: diffLines(before.bytes.toString('utf8'), undefined),
    apply() {
      if (!isUnchanged(path, before)) {
        throw new InstallError('CHANGED', `${JSON.stringify(path)} was changed by another program meanwhile`, { path })
      }
      try {
        unlinkSync(path)
      } catch (error) {
        throw toInstallError(error, 'cannot remove', path)
      }
    },
  }
}
