import type { Where } from '@cni/netns/handle'
import type { CaptureConfig } from '../redirect/config.ts'
import type { RuleBackend, RuleWriter } from './rule-writer.ts'

/** The rules of a configuration by a back end; of iptables the one in use there, if none is given. Only that one is loaded. */
export async function writerFor(
  where: Where,
  config: CaptureConfig,
  backend: RuleBackend | undefined,
): Promise<RuleWriter> {
  if (backend === 'nftables') {
    const { nativeWriter } = await import('./native-writer.ts')
    return nativeWriter(where, config)
  }
  const { iptablesWriter } = await import('./iptables-writer.ts')
  return iptablesWriter(where, config, backend)
}
