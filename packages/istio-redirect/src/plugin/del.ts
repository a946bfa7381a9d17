import { type DelContext, sharedReason, unrecordedReason } from '@cni/skel'
import { messageOf } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import { settingsOf } from '../conf/settings.ts'
import { removeFromNamespace } from '../namespace/namespace-network.ts'
import { flushIfOnlyOurs } from '../namespace/open-tables.ts'
import { removeRecorded, removeWithoutRecord, type Where } from '../namespace/remove-rules.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { type AttachmentRecord, type Attachments, attachmentsIn } from '../state/attachments.ts'
import { withDeadline } from './with-deadline.ts'

/** Options of the plugin's DEL, for tests. */
export interface DelOptions {
  /** Deadline in milliseconds for all programs of DEL, because container runtimes wait only 10 s. */
  readonly programMs?: number
}

/** Handles DEL. Never fails, because a failure would leave the pod's address allocated. */
export async function del(c: DelContext<Conf>, { programMs = 5000 }: DelOptions = {}): Promise<void> {
  const runDir = c.conf === undefined ? '' : settingsOf(c.conf).runDir
  if (runDir === '') {
    c.log.info('nothing is removed: without a run directory no attachment is recorded')
    return
  }
  const state = attachmentsIn(runDir)
  const key = attachmentKey(c)
  const recorded = await orWarn(c, 'its state cannot be read', () => state.read(key))
  const { netns } = c
  const mayRemove = await orWarn(c, 'the records of other attachments cannot be read', () =>
    mayRemoveRules(c, state, recorded),
  )
  if (netns !== undefined && recorded !== undefined && mayRemove === true) {
    await orWarn(c, `its rules are left in ${netns.path}, all or some`, () =>
      withDeadline(programMs, c.signal, (signal) => removeRules({ netns, signal, log: c.log }, recorded)),
    )
    await orWarn(c, `its addresses and routes are left in ${netns.path}, all or some`, () =>
      removeFromNamespace(netns, recorded),
    )
  }
  await orWarn(c, 'its state cannot be removed', () => state.remove(key))
}

/** True if a record describes the namespace's rules, and no other attachment uses the namespace. */
function mayRemoveRules(c: DelContext<Conf>, state: Attachments, recorded: AttachmentRecord | undefined): boolean {
  const { netns } = c
  if (netns === undefined) return false
  const ofContainer = () => state.list(({ containerID }) => containerID === c.containerID)
  const reason = unrecordedReason(recorded, netns) ?? sharedReason(ofContainer(), attachmentKey(c), netns)
  if (reason !== undefined) c.log.info('what is in the namespace stays', { netns: netns.path, reason })
  return reason === undefined
}

async function removeRules(where: Where, recorded: AttachmentRecord): Promise<void> {
  if (flushIfOnlyOurs(where.netns, recorded)) return
  try {
    await removeRecorded(where, recorded)
  } catch (error) {
    // DEL starts no further program after its deadline.
    if (where.signal.aborted) throw error
    warn(where, 'its rules cannot be removed as they were recorded', error)
    await removeWithoutRecord(where)
  }
}

async function orWarn<T>(c: DelContext<Conf>, what: string, step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    warn(c, what, error)
    return undefined
  }
}

function warn({ log }: Pick<Where, 'log'>, what: string, error: unknown): void {
  log.warn(`deleting an attachment: ${what}: ${messageOf(error)}`)
}
