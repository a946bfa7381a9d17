import type { CaptureConfig } from '@cni/istio-rules'
import type { Where } from '@cni/netns/handle'
import type { Backend } from '../backend.ts'
import { iptablesWriter } from './iptables-writer.ts'
import { nativeWriter } from './native-writer.ts'
import type { RuleWriter } from './rule-writer.ts'

/** Creates the rule writer for a back end. Default: the iptables back end that the namespace uses. */
export const writerFor = (where: Where, config: CaptureConfig, backend: Backend | undefined): RuleWriter =>
  backend === 'nftables' ? nativeWriter(where, config) : iptablesWriter(where, config, backend)
