import { iptablesBatch } from '../redirect/iptables-batch.ts'
import { nativeBatch } from '../redirect/native/batch.ts'
import type { MakeBatch } from './kept-batches.ts'

/** Makes it anew each time. */
export const makeBatch: MakeBatch = (config, backend) =>
  backend === 'nftables' ? nativeBatch(config) : iptablesBatch(config)
