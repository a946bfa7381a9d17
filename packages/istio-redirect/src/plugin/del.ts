import type { DelContext } from '@cni/skel'
import { messageOf } from '@cni/types'
import { attachmentKey } from '../state/attachment-of-call.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { callAttachments } from '../state/plain-attachments.ts'
import type { Conf } from './conf.ts'
import { removeFromNamespace } from './namespace-network.ts'
import type { Where } from './remove-rules.ts'
import { settingsOf } from './settings.ts'
import { takeOutAtOnce } from './take-out-at-once.ts'
import { within } from './within.ts'

/** For tests: how long a DEL takes at most. */
export interface DelOptions {
  /** Milliseconds for the programs, all together. What comes besides takes less than 4 s, and runtimes expect 10 s. */
  readonly programMs?: number
}

/**
 * Takes back what ADD did, as far as it is still there, and forgets it. Never fails, and never waits for a program that
 * does not end: a failing DEL keeps the plugins before this one from cleaning up, and the pod's address stays taken.
 */
export async function del(c: DelContext<Conf>, { programMs = 5000 }: DelOptions = {}): Promise<void> {
  const runDir = c.conf === undefined ? '' : settingsOf(c.conf).runDir
  const state = runDir === '' ? undefined : callAttachments(runDir)
  const key = attachmentKey(c)
  const recorded = await orWarn(c, 'its state cannot be read', () => state?.read(key))
  const { netns } = c
  if (netns !== undefined) {
    await orWarn(c, `its rules are left in ${netns.path}, all or some`, () =>
      within(programMs, c.signal, (signal) => removeRules({ netns, signal, log: c.log }, recorded)),
    )
    if (recorded !== undefined) {
      await orWarn(c, `its addresses and routes are left in ${netns.path}, all or some`, () =>
        removeFromNamespace(netns, recorded),
      )
    }
  }
  await orWarn(c, 'its state cannot be removed', () => state?.remove(key))
}

async function removeRules(where: Where, recorded: AttachmentRecord | undefined): Promise<void> {
  if (recorded !== undefined && takeOutAtOnce(where.netns, recorded)) return
  const { removeRecorded, removeUnrecorded } = await import('./remove-rules.ts')
  if (recorded !== undefined) {
    try {
      return await removeRecorded(where, recorded)
    } catch (error) {
      // Nor would another program end.
      if (where.signal.aborted) throw error
      warn(where, 'its rules cannot be removed as they were recorded', error)
    }
  }
  await removeUnrecorded(where)
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
