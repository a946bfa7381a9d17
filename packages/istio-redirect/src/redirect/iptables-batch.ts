import { freshBatch } from '@cni/iptables/fresh'
import { type CaptureConfig, capturedFamilies } from './config.ts'
import { redirectRules } from './rules.ts'

/**
 * What writes the rules of a configuration to a namespace in which nf_tables holds nothing; `undefined` where only a program
 * can write one of them.
 */
export const iptablesBatch = (config: CaptureConfig): Uint8Array | undefined =>
  freshBatch(redirectRules(config), capturedFamilies(config))
