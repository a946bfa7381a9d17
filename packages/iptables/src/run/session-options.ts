import type { NetnsContext } from '@cni/netns/handle'
import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Programs } from './backend.ts'

/** What a session needs to know. */
export interface SessionOptions {
  readonly backend: IptablesBackend | 'auto'
  readonly programs: Programs
  readonly families: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end. */
  readonly waitSeconds: number
  readonly signal: AbortSignal | undefined
  readonly log: NetnsContext['log']
}

/** For steps that must still run after an abort: taking back what was written. */
export interface Uncancelled {
  readonly uncancelled?: true
}

/** For a restore of the nft back end that deletes, when nothing waits for its program: it is left to end by itself. */
export interface UntilCommitted {
  /** The number of transactions in the text. */
  readonly commits?: number
}
