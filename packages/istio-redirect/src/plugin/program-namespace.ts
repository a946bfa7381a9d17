import { type BackendKind, type Family, iptables } from '@cni/iptables'
import type { AddContext } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import { type CaptureConfig, captureConfig } from '../redirect/config.ts'
import { redirectRules } from '../redirect/rules.ts'
import { istioRestoreText } from '../redirect/text.ts'
import { type AttachmentKey, type AttachmentRecord, attachmentKey } from '../state/attachment-record.ts'
import { type Attachments, attachmentsIn } from '../state/attachments.ts'
import { type CapturedPod, capturesIpv6 } from './captured-families.ts'
import type { Conf } from './conf.ts'
import type { FoundRedirect } from './find-redirect.ts'
import { leaveEarlier } from './leave-earlier.ts'
import { openNetwork } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'
import type { Settings } from './settings.ts'

/** What to set up in a namespace. */
export interface Program extends CapturedPod {
  readonly nativeNftables: boolean
  /** Default: what is in use there. */
  readonly backend?: BackendKind | undefined
  /** Where it is recorded, and as what; absent: nowhere. */
  readonly record?: { readonly key: AttachmentKey; readonly state: Attachments } | undefined
}

/** {@link redirectNamespace} for ADD. */
export function programNamespace(c: AddContext<Conf>, settings: Settings, found: FoundRedirect): Promise<void> {
  const state = settings.runDir === '' ? undefined : attachmentsIn(settings.runDir)
  return redirectNamespace(c, {
    ...found,
    addresses: c.prevResult?.ips?.map((ip) => ip.address) ?? [],
    ifName: c.ifName,
    nativeNftables: c.conf.native_nftables === true,
    record: state && { key: attachmentKey(c), state },
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
  const carriedOut = { ...describe(c, config), backend: await tables.backend() }
  using network = await openNetwork(c.netns, carriedOut)
  const { record: place } = program
  if (place !== undefined) {
    const attachment = { ...carriedOut, ...place.key }
    const before = readEarlier(c, place.state, attachment)
    if (before !== undefined) await leaveEarlier(c, { before, next: attachment, rules })
    record(c, place.state, attachment, before)
  }

  const pod = `${program.pod.namespace}/${program.pod.name}`
  const report = await tables.apply(rules)
  await network.prepare((step) => c.undo(step))
  place?.state.write({ ...carriedOut, ...place.key, applied: true })
  c.log.info('traffic is redirected', { pod, mode: config.interceptionMode, ...report })
}

function requireIptables({ nativeNftables }: Program): void {
  if (!nativeNftables) return
  throw new CniError(ErrorCode.unsupportedField, 'native_nftables: true is not supported yet', {
    hint: 'without it the rules are written by iptables, which may itself be the nft variant',
  })
}

function describe(c: RedirectContext, rules: CaptureConfig): Omit<AttachmentRecord, 'backend' | keyof AttachmentKey> {
  const families: readonly Family[] = rules.ipv6 ? ['ipv4', 'ipv6'] : ['ipv4']
  const policyRoute = rules.interceptionMode === 'TPROXY' && rules.includeInboundPorts.length > 0
  return {
    v: 1,
    netns: { dev: Number(c.netns.dev), ino: Number(c.netns.ino) },
    families,
    rules,
    tproxy: policyRoute ? { mark: rules.tproxyMark, table: rules.tproxyRouteTable } : null,
    applied: false,
  }
}

function readEarlier(c: RedirectContext, state: Attachments, key: AttachmentKey): AttachmentRecord | undefined {
  try {
    return state.read(key)
  } catch (error) {
    c.log.warn('the state of an earlier ADD is replaced', { error })
    return undefined
  }
}

/** A failed ADD leaves what was recorded before it. */
function record(c: RedirectContext, state: Attachments, attachment: AttachmentRecord, before?: AttachmentRecord): void {
  c.undo(() => {
    if (before === undefined) state.forget(attachment)
    else state.write(before)
  })
  state.write(attachment)
}
