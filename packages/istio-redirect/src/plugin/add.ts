import { VERSION } from '@cni/host/cli'
import { decideWithoutApi, podAnnotationsKey, podRef } from '@cni/istio-rules'
import type { AddContext } from '@cni/skel'
import type { Result } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import { type Settings, settingsOf } from '../conf/settings.ts'
import { warnAboutSettings } from '../conf/warn-settings.ts'
import type { KnownAddresses } from '../decide/captured-families.ts'
import { type AddCall, type Decision, decideAdd } from '../decide/decide-add.ts'
import { knownAddresses } from '../namespace/known-addresses.ts'
import { askAgent, type ServedDecision } from '../serve/ask-agent.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { attachmentsIn } from '../state/attachments.ts'
import { liveSources } from './live-sources.ts'
import { perform } from './perform.ts'

/** Handles ADD: redirects the traffic of a pod that has a sidecar. */
export async function add(c: AddContext<Conf>): Promise<Result> {
  const settings = settingsOf(c.conf)
  warnAboutSettings(c.log, c.conf, settings)
  const podAnnotations = c.conf.runtimeConfig?.[podAnnotationsKey]
  const first = decideWithoutApi({ pod: c.k8s, podAnnotations, settings })
  if (first.act === 'skip') c.log[first.level](first.reason, c.k8s && { pod: podRef(c.k8s) })
  else await redirect(c, settings, { pod: { ...first.pod, uid: c.k8s?.uid }, settings, env: c.env })
  return c.prevResult ?? {}
}

// internal

async function redirect(c: AddContext<Conf>, settings: Settings, call: AddCall): Promise<void> {
  const decision = await decide(c, settings, call)
  if (decision.act === 'skip') return
  const { runDir } = settings
  await perform(
    c,
    { ...decision, pod: call.pod },
    {
      backend: c.conf.native_nftables === true ? 'nftables' : undefined,
      recordAs: runDir === '' ? undefined : { key: attachmentKey(c), attachments: attachmentsIn(runDir) },
    },
  )
}

/** Returns the node agent's decision about the pod, or else the plugin's own decision. */
async function decide(c: AddContext<Conf>, settings: Settings, call: AddCall): Promise<ServedDecision | Decision> {
  let known: Promise<KnownAddresses> | undefined
  const addresses = (): Promise<KnownAddresses> => {
    const reported = c.prevResult?.ips?.map(({ address }) => address) ?? []
    known ??= knownAddresses(c, { addresses: reported, ifName: c.ifName })
    return known
  }
  if (settings.mayBeServed) {
    const native = c.conf.native_nftables === true
    // Skips the agent if no address is known: the plugin reports that error itself.
    const found = await addresses().catch(() => undefined)
    const request = found && { version: VERSION, call, native, addresses: found }
    const served = request && (await askAgent(c, settings.runDir, request))
    if (served !== undefined) return served
  }
  return decideAdd(call, liveSources(c, settings, addresses), c.log)
}
