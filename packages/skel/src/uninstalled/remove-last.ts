import { unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { lock } from '@cni/netns/sys'
import { messageOf } from '@cni/types'
import type { Log } from '../log.ts'
import { markerPath } from './marked.ts'
import { readMarker } from './marker.ts'
import { findNeeds } from './needs.ts'

/** A call after which an uninstalled plugin may be removed. */
export interface LastCall {
  /** Absolute path of the plugin's file. */
  readonly file: string
  /** `CNI_PATH`: other folders that may contain the plugin. */
  readonly path: readonly string[]
  /** Folders of the records that this package keeps for the plugin. */
  readonly records: readonly string[]
  /** Attachment of a DEL. */
  readonly own: Parameters<typeof findNeeds>[2]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Maximum number of folders in a call. */
const MAX_FOLDERS = 16

/**
 * Removes the files and markers of an uninstalled plugin if nothing needs them any more.
 * Locks the marker against an installer meanwhile. An installer that was faster has removed the marker.
 * Never fails, because DEL has done its work.
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

/** Removes the plugin and its marker. Returns false if the plugin is still needed. */
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
