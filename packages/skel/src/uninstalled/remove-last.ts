import { unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { lock } from '@cni/netns/sys'
import { messageOf } from '@cni/types'
import type { Log } from '../log.ts'
import { markerPath } from './marked.ts'
import { readMarker } from './marker.ts'
import { findNeeds } from './needs.ts'

/** The call after which an uninstalled plugin may go. */
export interface LastCall {
  /** The plugin's file, absolute. */
  readonly file: string
  /** `CNI_PATH`: the other folders that the plugin may be in. */
  readonly path: readonly string[]
  /** The folders of the records that this package keeps for the plugin. */
  readonly records: readonly string[]
  /** The attachment of a DEL. */
  readonly own: Parameters<typeof findNeeds>[2]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Folders of one call. */
const MAX_FOLDERS = 16

/**
 * Removes the files of an uninstalled plugin, and their markers, once nothing needs them. The lock on the marker keeps an
 * installer away meanwhile; an installer that was first has removed the marker. Never fails: DEL has done its work.
 */
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

/** Returns false if something needs the plugin. */
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
