import { type CaptureConfig, capturedFamilies } from '@cni/istio-rules'
import type { AttachmentRecord, NetnsIdentity } from '../state/attachments.ts'

/** Record of a pod's rules for CHECK and DEL, without the back end. */
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
