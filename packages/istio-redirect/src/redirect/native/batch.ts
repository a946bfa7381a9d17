import { freshBatch } from '@cni/nftables/fresh'
import type { CaptureConfig } from '../config.ts'
import { nativeRules } from './rules.ts'

/** What writes the rules of a configuration to a namespace that has none of our tables. */
export const nativeBatch = (config: CaptureConfig): Uint8Array => freshBatch(nativeRules(config))
