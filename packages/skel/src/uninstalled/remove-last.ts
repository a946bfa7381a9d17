import { unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { lock } from '@cni/netns/sys'
import { messageOf } from '@cni/types'
import type { Log } from '../log.ts'
import { markerPath } from './marked.ts'
import { readMarker } from './marker.ts'
import { findNeeds } from './needs.ts'

/** A DEL or GC call of an uninstalled plugin, after which the plugin's executable may be removed. */
export interface LastCall {
  /** Absolute path of the plugin's executable. */
  readonly file: string
  /** Folders of `CNI_PATH`, which may contain further copies of the plugin's executable. */
  readonly path: readonly string[]
  /** Folders in which this package keeps the records of the plugin's attachments. */
  readonly records: readonly string[]
  /** Attachment of the call, if the call is a DEL. */
  readonly own: Parameters<typeof findNeeds>[2]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Maximum number of folders in which one call looks for an uninstalled plugin's executable. */
const MAX_FOLDERS = 16

/** Removes an uninstalled plugin that is no longer needed. Locks the marker file against a new installation. */
export async function removeLast(call: LastCall): Promise<void> {
  const { file, path, log } = call
  const [folder, name] = [dirname(file), basename(file)]
  const folders = new Set([folder, ...path.filter((one) => one.startsWith('/'))].slice(0, MAX_FOLDERS))
  for (const one of folders) {
    try {
      if (!(await removeAt(`${one}/${name}`, name, call))) return
    } catch (error) {
      log.warn('the uninstalled plugin stays on this node', { file: `${one}/${name}`, reason: messageOf(error) })
    }
  }
}

/** Removes the executable of an uninstalled plugin and its marker file. Returns false if the plugin is still needed. */
async function removeAt(file: string, type: string, { records, own, log }: LastCall): Promise<boolean> {
  using held = await lock(markerPath(file))
  const marker = held === undefined ? undefined : readMarker(file)
  if (marker === undefined) return true
  const [need] = findNeeds(type, { ...marker, records: [...records, ...marker.records] }, own)
  if (need !== undefined) {
    log.info('the uninstalled plugin stays: something needs it', { file, path: need.path, reason: need.reason })
    return false
  }
  unlinkSync(file)
  unlinkSync(markerPath(file))
  log.info('the uninstalled plugin was removed: nothing needs it any more', { file })
  return true
}
