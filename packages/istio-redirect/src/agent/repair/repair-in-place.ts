import { type PodInfo, podInfo, redirectFor, skipReason } from '@cni/istio-rules'
import type { KubeClient } from '@cni/kube'
import { parsePod, podPath } from '@cni/kube'
import type { Netns } from '@cni/netns'
import { iptablesBackend } from '../../backend.ts'
import { captureOfPod } from '../../decide/captured-families.ts'
import { knownAddresses } from '../../namespace/known-addresses.ts'
import type { RedirectContext } from '../../namespace/redirect-context.ts'
import { perform } from '../../plugin/perform.ts'
import { attachmentsIn, findByNetns } from '../../state/attachments.ts'
import { keyOf, type ObservedPod, observePod } from '../pods/observed-pod.ts'
import type { RepairConfig, ScopedLog } from '../shared/deps.ts'
import { findNetns } from './find-netns.ts'
import { RepairError } from './repair-error.ts'

/** Options of {@link repairInPlace}, which writes missing rules in a running pod. */
export interface InPlaceOptions {
  readonly config: Pick<RepairConfig, 'nativeNftables' | 'forceIptablesBinary' | 'agentRunDir'>
  /** Creates the repair controller's Kubernetes client. Throws `KubeError`. */
  readonly connect: () => KubeClient
  readonly log: ScopedLog
  readonly signal: AbortSignal
  /** Path at which the agent sees the node's procfs. */
  readonly hostProc: string
}

/** Writes the missing redirection rules of a running pod, as the plugin does in ADD. */
export async function repairInPlace(observed: ObservedPod, options: InPlaceOptions): Promise<void> {
  const { log, hostProc } = options
  const pod = await podOf(observed, options)
  if (pod.hostNetwork) throw new RepairError('the pod uses the host network, which is never redirected')
  const skip = skipReason(pod)
  if (skip !== undefined) throw new RepairError(`the plugin would not redirect this pod: ${skip.reason}`)
  const tell = (level: 'info' | 'warn', message: string, more: object): void =>
    log[level](message, { pod: keyOf(observed), ...printed(more) })
  const redirect = redirectFor(pod, { log: tell, env: process.env })
  using target = await findNetns(observed.podIPs, hostProc, observed.uid)
  const { nativeNftables, forceIptablesBinary, agentRunDir } = options.config
  const attachments = agentRunDir === '' ? undefined : attachmentsIn(agentRunDir)
  const recorded = attachments && findByNetns(attachments, { dev: Number(target.dev), ino: Number(target.ino) })
  const context = contextOf(target, options)
  const known = await knownAddresses(context, { addresses: [] })
  const config = captureOfPod({ pod, redirect }, known, context.log)
  await withRollback(context, (c) =>
    perform(
      c,
      { pod, config },
      {
        backend: nativeNftables ? 'nftables' : iptablesBackend(forceIptablesBinary),
        recordAs: attachments && recorded && { key: recorded.key, attachments },
      },
    ),
  )
}

/** Requests the pod from the API server, because the repair controller's store keeps only part of each pod. */
async function podOf(observed: ObservedPod, { connect, signal }: InPlaceOptions): Promise<PodInfo> {
  const document = await connect().get(podPath(observed), { signal })
  if (observePod(document)?.uid !== observed.uid) throw new RepairError('the pod is gone, and another pod has its name')
  return podInfo(parsePod(document, observed))
}

function contextOf(netns: Netns, { log, signal }: InPlaceOptions): Omit<RedirectContext, 'undo'> {
  const at = (level: 'debug' | 'info' | 'warn') => (message: string, fields?: object) =>
    log[level](message, printed(fields ?? {}))
  return { netns, signal, log: { debug: at('debug'), info: at('info'), warn: at('warn') } }
}

/** Runs `work`. If `work` fails, runs the rollback steps that `work` has registered, in reverse order. */
async function withRollback(
  context: Omit<RedirectContext, 'undo'>,
  work: (context: RedirectContext) => Promise<void>,
): Promise<void> {
  const steps: Parameters<RedirectContext['undo']>[0][] = []
  try {
    await work({ ...context, undo: (step) => void steps.push(step) })
  } catch (error) {
    const signal = AbortSignal.timeout(ROLLBACK_TIMEOUT_MS)
    for (const step of steps.toReversed()) {
      try {
        await step({ signal })
      } catch (problem) {
        context.log.warn('cannot undo a step of the failed repair', { error: problem })
      }
    }
    throw error
  }
}

const ROLLBACK_TIMEOUT_MS = 10_000

const printed = (fields: object): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : words(value),
    ]),
  )

const words = (value: unknown): string =>
  value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value))
