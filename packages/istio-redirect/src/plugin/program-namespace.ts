import { type BackendKind, type Family, iptables } from '@cni/iptables'
import type { AddContext } from '@cni/skel'
import type { AttachmentKey } from '@cni/skel/state'
import { CniError, ErrorCode } from '@cni/types'
import { type CaptureConfig, captureConfig } from '../redirect/config.ts'
import { redirectRules } from '../redirect/rules.ts'
import { istioRestoreText } from '../redirect/text.ts'
import { type AttachmentRecord, type Attachments, attachmentKey, attachmentsIn } from '../state/attachments.ts'
import { type CapturedPod, capturesIpv6 } from './captured-families.ts'
import type { Conf } from './conf.ts'
import { leaveEarlier } from './leave-earlier.ts'
import { openNetwork } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'
import type { FoundRedirect } from './redirect-of-pod.ts'
import type { Settings } from './settings.ts'

/** What to set up in a namespace. */
export interface Program extends CapturedPod {
  readonly nativeNftables: boolean
  /** Default: what is in use there. */
  readonly backend?: BackendKind | undefined
  /** As what and where it is recorded; absent: nowhere. */
  readonly recordAs?: RecordPlace | undefined
}

/** Where the record of an attachment is. */
interface RecordPlace {
  readonly key: AttachmentKey
  readonly attachments: Attachments
}

/** {@link redirectNamespace} for ADD. */
export function programNamespace(c: AddContext<Conf>, settings: Settings, found: FoundRedirect): Promise<void> {
  const attachments = settings.runDir === '' ? undefined : attachmentsIn(settings.runDir)
  return redirectNamespace(c, {
    ...found,
    addresses: c.prevResult?.ips?.map((ip) => ip.address) ?? [],
    ifName: c.ifName,
    nativeNftables: c.conf.native_nftables === true,
    recordAs: attachments && { key: attachmentKey(c), attachments },
  })
}

/**
 * Makes the namespace redirect: recorded first, so that a call that is killed at any moment can be repeated or taken
 * back; then the rules; then the addresses and routes they lead to.
 */
export async function redirectNamespace(c: RedirectContext, program: Program): Promise<void> {
  requireIptables(program)
  const config = captureConfig(program.redirect, { ipv6: await capturesIpv6(c, program) })
  const rules = redirectRules(config)
  const tables = iptables(c, { print: istioRestoreText, backend: program.backend })
  const record = { ...describe(c, config), backend: await tables.backend() }
  using network = await openNetwork(c.netns, record)
  const { recordAs: place } = program
  if (place !== undefined) {
    const before = readEarlier(c, place)
    if (before !== undefined) await leaveEarlier(c, { before, next: record, rules })
    // A failed ADD leaves what was recorded before it.
    c.undo(place.attachments.write(place.key, record))
  }

  const pod = `${program.pod.namespace}/${program.pod.name}`
  const report = await tables.apply(rules)
  await network.prepare((step) => c.undo(step))
  place?.attachments.replace(place.key, { ...record, applied: true })
  c.log.info('traffic is redirected', { pod, mode: config.interceptionMode, ...report })
}

function requireIptables({ nativeNftables }: Program): void {
  if (!nativeNftables) return
  throw new CniError(ErrorCode.unsupportedField, 'native_nftables: true is not supported yet', {
    hint: 'without it the rules are written by iptables, which may itself be the nft variant',
  })
}

function describe(c: RedirectContext, rules: CaptureConfig): Omit<AttachmentRecord, 'backend'> {
  const families: readonly Family[] = rules.ipv6 ? ['ipv4', 'ipv6'] : ['ipv4']
  const policyRoute = rules.interceptionMode === 'TPROXY' && rules.includeInboundPorts.length > 0
  return {
    netns: { dev: Number(c.netns.dev), ino: Number(c.netns.ino) },
    families,
    rules,
    tproxy: policyRoute ? { mark: rules.tproxyMark, table: rules.tproxyRouteTable } : null,
    applied: false,
  }
}

function readEarlier(c: RedirectContext, { key, attachments }: RecordPlace): AttachmentRecord | undefined {
  try {
    return attachments.read(key)
  } catch (error) {
    c.log.warn('the state of an earlier ADD is replaced', { error })
    return undefined
  }
}
