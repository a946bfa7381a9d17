import { chainsFor, iptables, type Ruleset } from '@cni/iptables'
import type { Netns } from '@cni/netns/handle'
import type { DelContext } from '@cni/skel'
import { messageOf } from '@cni/types'
import { captureDefaults } from '../redirect/config.ts'
import { redirectRules } from '../redirect/rules.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { callAttachments } from '../state/plain-attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import type { Conf } from './conf.ts'
import { removeFromNamespace } from './namespace-network.ts'
import { settingsOf } from './settings.ts'
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

type Where = Required<Pick<DelContext<Conf>, 'signal' | 'log'>> & { readonly netns: Netns }

async function removeRules(where: Where, recorded: AttachmentRecord | undefined): Promise<void> {
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

async function removeRecorded(where: Where, recorded: AttachmentRecord): Promise<void> {
  const backend = recordedBackend(recorded)
  if (backend === 'nftables') {
    const { removeNativeTables } = await import('./native-tables.ts')
    removeNativeTables(where)
    return
  }
  const rules = redirectRules(recorded.rules)
  // A complete ADD says all there is, and one process takes it away; an incomplete one has to be looked for.
  const { families } = recorded
  if (recorded.applied) await iptables(where, { waitSeconds, backend, families }).remove(inUse(rules, recorded))
  else await iptables(where, { waitSeconds, backend }).remove(rules)
}

/** Nothing usable recorded means skipped, or set up by Istio's own plugin, or a run directory that was lost. */
async function removeUnrecorded(where: Where): Promise<void> {
  const { clearNativeTables } = await import('./native-tables.ts')
  const removed = clearNativeTables(where)
  const change = await iptables(where, { waitSeconds }).removeChains('ISTIO_')
  const families = removed ? allFamilies : change.families
  if (families.length === 0) return
  const { tproxyMark: mark, tproxyRouteTable: table } = captureDefaults
  await removeFromNamespace(where.netns, { families, tproxy: { mark, table } })
}

/** Without the chains that only other modes have. */
function inUse(rules: Ruleset, { families }: AttachmentRecord): Ruleset {
  const used = new Set(families.flatMap((family) => chainsFor(rules, family)))
  return { ...rules, chains: rules.chains.filter((chain) => used.has(chain)) }
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

/** Native rules are those of both in one. */
const allFamilies = ['ipv4', 'ipv6'] as const

/** Seconds for the lock of the legacy back end: less than for all programs, so that the log can say that it was the lock. */
const waitSeconds = 4
