import type { NetnsContext } from '@cni/netns/handle'
import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Programs } from './backend.ts'

/** Options of a session. */
export interface SessionOptions {
  readonly backend: IptablesBackend | 'auto'
  readonly programs: Programs
  readonly families: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end. */
  readonly waitSeconds: number
  readonly signal: AbortSignal | undefined
  readonly log: NetnsContext['log']
}

/** Option of rollbacks, which must run even after an abort. */
export interface Uncancelled {
  readonly uncancelled?: true
}

/**
 * Option of a restore by `iptables-nft-restore` that deletes rules. The call resolves once the kernel has committed,
 * before the program exits.
 */
export interface UntilCommitted {
  /** Number of transactions in the restore text. */
  readonly commits?: number
}
