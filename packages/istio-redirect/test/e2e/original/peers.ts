import { existsSync } from 'node:fs'
import { join } from 'node:path'

const { CNI_PEERS = '', CNI_FUZZ_RUNS } = process.env

/** One original of the folder `$CNI_PEERS`, and why nothing can be compared with it, if so. */
export interface Peer {
  readonly file: string
  readonly missing: string | undefined
}

/** Looks for an original in the folder `$CNI_PEERS`. */
export function peer(name: string): Peer {
  const file = join(CNI_PEERS, name)
  if (CNI_PEERS === '' || !existsSync(file)) {
    return { file, missing: `needs the original ${name} in the folder $CNI_PEERS` }
  }
  if (process.getuid?.() !== 0) return { file, missing: 'needs root: network namespaces' }
  return { file, missing: undefined }
}

/** How many cases a sweep compares: `$CNI_FUZZ_RUNS`, else a few dozens. */
export const runs = CNI_FUZZ_RUNS === undefined ? 48 : Number(CNI_FUZZ_RUNS)

/** Where both programs find iptables. */
export const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
