import { existsSync } from 'node:fs'
import { join } from 'node:path'

const { CNI_PEERS = '', CNI_FUZZ_RUNS } = process.env

/** Program of Istio or Kubernetes in the folder `$CNI_PEERS`, or the reason why it is missing. */
export interface Peer {
  readonly file: string
  readonly missing: string | undefined
}

/** Finds a program of Istio or Kubernetes in the folder `$CNI_PEERS`. */
export function peer(name: string): Peer {
  const file = join(CNI_PEERS, name)
  if (CNI_PEERS === '' || !existsSync(file)) {
    return { file, missing: `needs the original ${name} in the folder $CNI_PEERS` }
  }
  if (process.getuid?.() !== 0) return { file, missing: 'needs root: network namespaces' }
  return { file, missing: undefined }
}

/** Number of random cases that a comparison runs: `$CNI_FUZZ_RUNS`, by default 48. */
export const runs = CNI_FUZZ_RUNS === undefined ? 48 : Number(CNI_FUZZ_RUNS)

/** PATH for Istio's program and for ours. These folders contain the iptables programs. */
export const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
