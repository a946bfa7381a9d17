import type { BackendKind } from '@cni/iptables'
import type { AddContext } from '@cni/skel'
import type { AttachmentKey } from '@cni/skel/state'
import { quoted } from '../decide/before-asking.ts'
import { captureOfPod } from '../decide/captured-families.ts'
import { recordOf } from '../decide/record.ts'
import type { FoundRedirect } from '../decide/redirection.ts'
import type { CaptureConfig } from '../redirect/config.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import type { AttachmentRecord, Attachments } from '../state/attachments.ts'
import { type CallAttachments, callAttachments } from '../state/plain-attachments.ts'
import type { Conf } from './conf.ts'
import { carriedOver } from './first-in.ts'
import { knownAddresses, type ToldAddresses } from './known-addresses.ts'
import { leaveEarlier } from './leave-earlier.ts'
import { openNetwork } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'
import type { Settings } from './settings.ts'
import { writerFor } from './writer-for.ts'

/** What to set up in a namespace. */
export interface Program extends FoundRedirect, ToldAddresses, Writing {}

/** How to do so. */
interface Writing extends Pick<FoundRedirect, 'pod'> {
  readonly nativeNftables: boolean
  /** Default: what is in use there. */
  readonly backend?: BackendKind | undefined
  /** As what and where it is recorded; absent: nowhere. */
  readonly recordAs?: RecordPlace | undefined
}

/** Where the record of an attachment is. */
interface RecordPlace {
  readonly key: AttachmentKey
  readonly attachments: Attachments | CallAttachments
}

/** {@link redirectNamespace} for ADD, whose caller knows the namespace's addresses. */
export function programNamespace(
  c: AddContext<Conf>,
  settings: Settings,
  found: FoundRedirect,
  config: CaptureConfig,
): Promise<void> {
  const attachments = settings.runDir === '' ? undefined : callAttachments(settings.runDir)
  return writeRedirection(c, config, {
    pod: found.pod,
    nativeNftables: c.conf.native_nftables === true,
    recordAs: attachments && { key: attachmentKey(c), attachments },
  })
}

/**
 * Makes the namespace redirect: recorded first, so that a call that is killed at any moment can be repeated or taken
 * back; then the rules; then the addresses and routes they lead to.
 */
export async function redirectNamespace(c: RedirectContext, program: Program): Promise<void> {
  const known = await knownAddresses(c, program)
  const config = captureOfPod(program, known, c.log)
  await writeRedirection(c, config, program)
}

// internal

async function writeRedirection(c: RedirectContext, config: CaptureConfig, program: Writing): Promise<void> {
  const writer = await writerFor(c, config, program.nativeNftables ? 'nftables' : program.backend)
  const netns = { dev: Number(c.netns.dev), ino: Number(c.netns.ino) }
  const record = { ...recordOf(netns, config), backend: await writer.backend() }
  using network = await openNetwork(c.netns, record)
  const { recordAs: place } = program
  const before = await readEarlier(c, place)
  if (before === 'unknown') await (await import('./leave-unrecorded.ts')).leaveUnrecorded(c, record.backend)
  else if (before !== 'none') await leaveEarlier(c, { before, next: record, writer })
  // A failed ADD leaves what was recorded before it.
  if (place !== undefined) c.undo(place.attachments.write(place.key, record))

  const { report, untouched, generation } = await writer.apply()
  if (before === 'none' && !untouched) await (await import('./leave-unrecorded.ts')).leaveUnrecorded(c, record.backend)
  await network.prepare((step) => c.undo(step))
  const written = { ...record, applied: true, generation }
  const known =
    typeof before === 'string' ? {} : carriedOver(before, written, { unchanged: report.plan === 'unchanged' })
  place?.attachments.replace(place.key, { ...written, ...known })
  c.log.info('traffic is redirected', { pod: quoted(program.pod), mode: config.interceptionMode, ...report })
}

async function readEarlier(
  c: RedirectContext,
  place: RecordPlace | undefined,
): Promise<AttachmentRecord | 'none' | 'unknown'> {
  if (place === undefined) return 'unknown'
  try {
    return (await place.attachments.read(place.key)) ?? 'none'
  } catch (error) {
    c.log.warn('the state of an earlier ADD is replaced', { error })
    return 'unknown'
  }
}
