import type { NetnsContext } from '@cni/netns/handle'
import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Programs } from './backend.ts'

/** Options for the access to one namespace's iptables rules. */
export interface SessionOptions {
  readonly backend: IptablesBackend | 'auto'
  readonly programs: Programs
  readonly families: readonly Family[] | undefined
  /** Seconds to wait for the file lock of the legacy back end. */
  readonly waitSeconds: number
  readonly signal: AbortSignal | undefined
  readonly log: NetnsContext['log']
}

/** Option for the reads and writes of a rollback: they run even after the caller's AbortSignal has aborted. */
export interface Uncancelled {
  readonly uncancelled?: true
}

/**
 * Option for an `iptables-nft-restore` that deletes rules: the call resolves once the kernel has committed, before the
 * program exits.
 */
export interface UntilCommitted {
  /** Number of transactions (one per table) in the restore text. */
  readonly commits?: number
}
