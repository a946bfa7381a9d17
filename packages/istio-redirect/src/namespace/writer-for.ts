import type { CaptureConfig } from '@cni/istio-rules'
import type { Where } from '@cni/netns/handle'
import type { Backend } from '../backend.ts'
import { iptablesWriter } from './iptables-writer.ts'
import { nativeWriter } from './native-writer.ts'
import type { RuleWriter } from './rule-writer.ts'

/** Rule writer for a back end. Without a back end, the iptables back end that is in use in the namespace. */
export const writerFor = (where: Where, config: CaptureConfig, backend: Backend | undefined): RuleWriter =>
  backend === 'nftables' ? nativeWriter(where, config) : iptablesWriter(where, config, backend)
