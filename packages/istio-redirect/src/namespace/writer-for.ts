import type { CaptureConfig } from '@cni/istio-rules'
import type { Where } from '@cni/netns/handle'
import type { Backend } from '../backend.ts'
import { iptablesWriter } from './iptables-writer.ts'
import { nativeWriter } from './native-writer.ts'
import type { RuleWriter } from './rule-writer.ts'

/** The rules of a configuration by a back end; of iptables the one in use there, if none is given. */
export const writerFor = (where: Where, config: CaptureConfig, backend: Backend | undefined): RuleWriter =>
  backend === 'nftables' ? nativeWriter(where, config) : iptablesWriter(where, config, backend)
