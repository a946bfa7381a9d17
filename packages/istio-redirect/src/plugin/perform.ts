import type { CaptureConfig, PodIdentity } from '@cni/istio-rules'
import { podRef } from '@cni/istio-rules'
import type { AttachmentKey } from '@cni/skel'
import { type Backend, backendWord } from '../backend.ts'
import { recordOf } from '../decide/record.ts'
import { batchWriter } from '../namespace/batch-writer.ts'
import { openNetwork } from '../namespace/namespace-network.ts'
import type { RedirectContext } from '../namespace/redirect-context.ts'
import { removeEarlier } from '../namespace/remove-earlier.ts'
import { removeUnrecorded } from '../namespace/remove-unrecorded.ts'
import { writerFor } from '../namespace/writer-for.ts'
import type { AttachmentRecord, Attachments } from '../state/attachments.ts'
import { carriedOver } from '../state/was-empty.ts'

/** Input of {@link perform}: a pod and the redirection of its traffic, as the plugin has decided it. */
export interface Redirection {
  /** Name of the pod for the log. */
  readonly pod: PodIdentity
  readonly config: CaptureConfig
  /**
   * Netlink batch that writes the rules to a namespace without rules. Default: the plugin encodes the batch from
   * `config`.
   */
  readonly batch?: Uint8Array | undefined
}

/** Options of {@link perform}: the back end and the record. */
export interface WriteOptions {
  /** Back end that writes the rules. Default: the iptables back end that the namespace already uses. */
  readonly backend?: Backend | undefined
  /** Store and key under which the attachment is recorded. Default: no record. */
  readonly recordAs?: RecordTarget | undefined
}

/** Store and key under which the plugin records an attachment. */
export interface RecordTarget {
  readonly key: AttachmentKey
  readonly attachments: Attachments
}

/** Redirects a namespace's traffic. Writes the record first, because a killed call must be repeatable. */
export async function perform(
  c: RedirectContext,
  { pod, config, batch }: Redirection,
  { backend, recordAs }: WriteOptions,
): Promise<void> {
  const before = readEarlier(c, recordAs)
  const netlink = backend === 'nftables' ? backend : 'iptables-nft'
  using batched =
    before === 'none' && backend !== 'iptables-legacy'
      ? await batchWriter(c, config, { backend: netlink, batch })
      : undefined
  const writer = batched ?? writerFor(c, config, backend)
  const netns = { dev: Number(c.netns.dev), ino: Number(c.netns.ino) }
  const used = await writer.backend()
  const record = { ...recordOf(netns, config), backend: backendWord(used) }
  using network = await openNetwork(c.netns, record)
  if (before === 'unknown') await removeUnrecorded(c, used)
  else if (before !== 'none') await removeEarlier(c, before, record)
  // If the ADD fails, the rollback restores the record of the pod's earlier ADD.
  if (recordAs !== undefined) c.undo(recordAs.attachments.write(recordAs.key, record))

  const { report, isAlone, generation } = await writer.apply()
  if (before === 'none' && !isAlone) await removeUnrecorded(c, used)
  await network.prepare((step) => c.undo(step))
  const written = { ...record, applied: true, generation }
  const known =
    typeof before === 'string' ? {} : carriedOver(before, written, { unchanged: report.plan === 'unchanged' })
  recordAs?.attachments.replace(recordAs.key, { ...written, ...known })
  c.log.info('traffic is redirected', { pod: podRef(pod), mode: config.interceptionMode, ...report })
}

// internal

function readEarlier(c: RedirectContext, target: RecordTarget | undefined): AttachmentRecord | 'none' | 'unknown' {
  if (target === undefined) return 'unknown'
  try {
    return target.attachments.read(target.key) ?? 'none'
  } catch (error) {
    c.log.warn('the state of an earlier ADD is replaced', { error })
    return 'unknown'
  }
}
