import { type AttachmentKey, stateFile } from '@cni/skel/state'
import type { AttachmentRecord, RecordedNetwork } from '../state/attachments.ts'

/** The file of an attachment, in the folder of the records. */
export interface FreshRecord {
  readonly name: string
  /** What it says before anything is changed. */
  readonly begun: string
  /** What it says when all is done. */
  readonly applied: string
}

/** What is written to a namespace that has no rules yet, besides them. */
export interface FreshSteps {
  readonly record: FreshRecord
  /** Absent where the pod needs no addresses and routes, as most: then what reaches them is not loaded. */
  readonly network: RecordedNetwork | undefined
}

/**
 * The texts of the record, before and after, and what else is to be done.
 *
 * @param generation - the kernel's count of the changes of nf_tables before the rules
 */
export function freshSteps(key: AttachmentKey, state: AttachmentRecord, generation: number): FreshSteps {
  const { name, text: begun } = stateFile(key, state)
  const { text: applied } = stateFile(key, { ...state, applied: true, generation: generation + 1 })
  return {
    record: { name, begun, applied },
    network: recordedNetwork(state),
  }
}

/** The addresses and routes that a record says the pod needs; `undefined` where it needs none. */
export function recordedNetwork({ families, tproxy }: RecordedNetwork): RecordedNetwork | undefined {
  return families.includes('ipv6') || tproxy !== null ? { families, tproxy } : undefined
}
