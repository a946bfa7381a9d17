import type { Netns } from '@cni/netns/handle'
import { messageOf, type ValidAttachment } from '@cni/types'
import type { Plugin } from '../definition/plugin.ts'
import { type AttachmentRecords, attachmentRecords, recordFolders, recordsFolder } from '../state/attachment-records.ts'
import { isStateError } from '../state/state-error.ts'
import { removeLast } from '../uninstalled/remove-last.ts'
import type { AcceptedCall } from './accepted-call.ts'

/** Returns the plugin's `removal`: the rule for when DEL removes the plugin's objects from the namespace. */
export const removalOf = ({ removal, chained }: Pick<Plugin, 'removal' | 'chained'>): NonNullable<Plugin['removal']> =>
  removal ?? (chained === true ? 'last' : 'always')

/** Records the attachment of an ADD. Without this record, a DEL removes nothing from the namespace. */
export function recordAttachment(accepted: AcceptedCall, netns: Netns): void {
  const { plugin, undo, log } = accepted.call
  if (removalOf(plugin) === 'always') return
  try {
    undo.push(recordsOf(accepted).add(keyOf(accepted), netns))
  } catch (error) {
    if (!isStateError(error) || error.code !== 'EROFS') throw error
    log.warn('the attachment is not recorded: DEL will leave what is in its namespace', { reason: error.message })
  }
}

/** Sets `netns.kept` to the reason why a DEL must not remove the plugin's objects from the namespace. */
export function setKept(accepted: AcceptedCall, netns: Netns | undefined): void {
  const { plugin, log } = accepted.call
  const removal = removalOf(plugin)
  if (netns === undefined || removal === 'always') return
  netns.kept = orReason(() => recordsOf(accepted).keepReason(keyOf(accepted), netns, removal))
  if (netns.kept !== undefined) log.info('what is in the namespace stays', { netns: netns.path, reason: netns.kept })
}

/** Removes an attachment's record. Never fails, because a failed DEL would leave the pod's address allocated. */
export function forgetAttachment(accepted: AcceptedCall): void {
  const { plugin, log } = accepted.call
  if (removalOf(plugin) === 'always') return
  try {
    recordsOf(accepted).remove(keyOf(accepted))
  } catch (error) {
    log.warn('the record of the attachment is left behind', { reason: messageOf(error) })
  }
}

/** Removes the records of a network's stale attachments after GC. A stale attachment is missing in the list `valid`. */
export function forgetStale(accepted: AcceptedCall, valid: readonly ValidAttachment[] | undefined): void {
  const { plugin, log } = accepted.call
  if (removalOf(plugin) === 'always' || valid === undefined) return
  const keys = valid.map(({ containerID, ifname }) => ({ containerID, ifName: ifname }))
  const { unreadable } = recordsOf(accepted).removeStale(accepted.config.document.name, keys)
  for (const error of unreadable) log.warn('a record is left alone', { reason: error.message })
}

/** Removes the executable of an uninstalled plugin if this call was the last that needs the executable. Never fails. */
export async function removeIfUninstalled(
  { call: { plugin, log, uninstalled: file }, environment: { path } }: AcceptedCall,
  own?: Pick<AcceptedCall['environment'], 'containerID' | 'ifName'>,
): Promise<void> {
  if (file === undefined) return
  await removeLast({ file, path, own, log, records: recordFolders(plugin.name) })
}

// internal

function recordsOf({ call: { plugin, io } }: AcceptedCall): AttachmentRecords {
  const path = recordsFolder(plugin.name)
  return attachmentRecords(io.stateFolder?.(path) ?? path)
}

const keyOf = ({ environment: { containerID, ifName }, config }: AcceptedCall) => ({
  network: config.document.name,
  containerID,
  ifName,
})

/** Returns the reason to keep objects in a namespace. Unreadable records are a reason too. */
function orReason(find: () => string | undefined): string | undefined {
  try {
    return find()
  } catch (error) {
    return messageOf(error)
  }
}
