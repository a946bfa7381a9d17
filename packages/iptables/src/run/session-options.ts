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

/** Option of steps that must run even after an abort: rollbacks. */
export interface Uncancelled {
  readonly uncancelled?: true
}

/** Option of an nft restore that deletes: the call need not wait for the program's exit. */
export interface UntilCommitted {
  /** Number of transactions in the text. */
  readonly commits?: number
}
