import { type CaptureConfig, capturedFamilies } from '@cni/istio-rules'
import type { AttachmentRecord, NetnsIdentity, RecordedNetwork } from '../state/attachments.ts'

/** Creates the record of a pod's rules for CHECK and DEL, without the back end. */
export function recordOf(netns: NetnsIdentity, rules: CaptureConfig): Omit<AttachmentRecord, 'backend'> {
  const { families, tproxy } = networkOf(rules)
  return { netns, families, rules, tproxy, applied: false }
}

/**
 * Returns the network settings that the redirection needs besides its rules. TPROXY needs a policy rule and a route for
 * marked packets.
 */
export function networkOf(rules: CaptureConfig): RecordedNetwork {
  const policyRoute = rules.interceptionMode === 'TPROXY' && rules.includeInboundPorts.length > 0
  return {
    families: capturedFamilies(rules),
    tproxy: policyRoute ? { mark: rules.tproxyMark, table: rules.tproxyRouteTable } : null,
  }
}
