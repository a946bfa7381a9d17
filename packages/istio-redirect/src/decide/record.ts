import { type CaptureConfig, capturedFamilies } from '@cni/istio-rules'
import type { AttachmentRecord, NetnsIdentity } from '../state/attachments.ts'

/** What is written to the namespace, as CHECK and DEL will know it; by what, who writes it says. */
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
