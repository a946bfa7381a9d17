import { chainsFor, iptables, type Ruleset } from '@cni/iptables'
import type { Netns } from '@cni/netns/handle'
import type { DelContext } from '@cni/skel'
import { captureDefaults } from '../redirect/config.ts'
import { redirectRules } from '../redirect/rules.ts'
import type { Attachment } from '../state/attachment.ts'
import { attachmentsIn } from '../state/attachments.ts'
import { attachmentKey } from './attachment-key.ts'
import type { Conf } from './conf.ts'
import { removeFromNamespace } from './namespace-network.ts'
import { recordedBackend } from './recorded-backend.ts'
import { settingsOf } from './settings.ts'

/**
 * Takes back what ADD did, as far as it is still there, and forgets it. Never fails: a failing DEL keeps the plugins
 * before this one from cleaning up, and the pod's address stays taken.
 */
export async function del(c: DelContext<Conf>): Promise<void> {
  const runDir = c.conf === undefined ? '' : settingsOf(c.conf).runDir
  const state = runDir === '' ? undefined : attachmentsIn(runDir)
  const key = attachmentKey(c)
  const recorded = await orWarn(c, 'its state cannot be read', () => state?.read(key))
  const { netns } = c
  if (netns !== undefined) {
    const where = { netns, signal: c.signal, log: c.log }
    const done =
      recorded !== undefined &&
      (await orWarn(c, 'its rules cannot be removed as they were recorded', () => removeRecorded(where, recorded)))
    if (done !== true) await orWarn(c, 'its rules cannot be removed', () => removeUnrecorded(where))
    if (recorded !== undefined) {
      await orWarn(c, 'its addresses and routes cannot be removed', () => removeFromNamespace(netns, recorded))
    }
  }
  await orWarn(c, 'its state cannot be removed', () => state?.forget(key))
}

type Where = Required<Pick<DelContext<Conf>, 'signal' | 'log'>> & { readonly netns: Netns }

async function removeRecorded(where: Where, recorded: Attachment): Promise<true> {
  const rules = redirectRules(recorded.rules)
  const backend = recordedBackend(recorded)
  // A complete ADD says all there is, and one process takes it away; an incomplete one has to be looked for.
  if (recorded.applied) await iptables(where, { backend, families: recorded.families }).remove(inUse(rules, recorded))
  else await iptables(where, { backend }).remove(rules)
  return true
}

/** Nothing usable recorded means skipped, or set up by Istio's own plugin, or a run directory that was lost. */
async function removeUnrecorded(where: Where): Promise<void> {
  const { families } = await iptables(where).removeChains('ISTIO_')
  if (families.length === 0) return
  const { tproxyMark: mark, tproxyRouteTable: table } = captureDefaults
  await removeFromNamespace(where.netns, { families, tproxy: { mark, table } })
}

/** Without the chains that only other modes have. */
function inUse(rules: Ruleset, { families }: Attachment): Ruleset {
  const used = new Set(families.flatMap((family) => chainsFor(rules, family)))
  return { ...rules, chains: rules.chains.filter((chain) => used.has(chain)) }
}

async function orWarn<T>(c: DelContext<Conf>, what: string, step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    c.log.warn(`deleting an attachment: ${what}: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}
