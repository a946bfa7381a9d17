import { type CaptureConfig, capturedFamilies } from '@cni/istio-rules'
import type { AttachmentRecord, NetnsIdentity } from '../state/attachments.ts'

/**
 * Builds the record of a pod's rules, which CHECK and DEL read later. The back end is missing: the rule writer adds it.
 */
export function recordOf(netns: NetnsIdentity, rules: CaptureConfig): Omit<AttachmentRecord, 'backend'> {
  const policyRoute = rules.interceptionMode === 'TPROXY' && rules.includeInboundPorts.length > 0
  return {
    netns,
    families: capturedFamilies(rules),
    rules,
    tproxy: policyRoute ? { mark: rules.tproxyMark, table: rules.tproxyRouteTable } : null,
    applied: false,
  }
}
