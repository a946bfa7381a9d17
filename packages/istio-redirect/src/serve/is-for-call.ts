import { type AttachmentKey, stateFile } from '@cni/skel/state'
import { isObject } from '@cni/types'
import { recordedNetwork } from '../decide/fresh-record.ts'
import type { AttachmentRecord, NetnsIdentity } from '../state/attachments.ts'
import { isPlainRecord } from '../state/plain-record.ts'
import type { ProgramAnswer, ServedBackend } from './protocol.ts'

/** The call that an answer has to be for. */
export interface AnsweredCall {
  readonly key: AttachmentKey
  readonly netns: NetnsIdentity
  readonly backend: ServedBackend | 'other'
}

/**
 * Whether an answer belongs to this call: its record names this attachment, namespace and back end before and after, and
 * its addresses and routes are those of the record.
 */
export function isForCall(
  answer: Omit<ProgramAnswer, 'act' | 'log' | 'stdout' | 'batch'>,
  call: AnsweredCall,
): boolean {
  const { key, netns, backend } = call
  const { record, network } = answer
  if (record.name !== stateFile(key, {}).name || !isSame(answer.netns, netns) || answer.backend !== backend)
    return false
  const begun = recordIn(record.begun, key)
  const applied = recordIn(record.applied, key)
  if (begun === undefined || applied === undefined || begun.applied || !applied.applied) return false
  if (!isSame(begun.netns, netns) || begun.backend !== backend) return false
  const { generation: _, ...after } = applied
  if (JSON.stringify({ ...after, applied: false }) !== JSON.stringify(begun)) return false
  return JSON.stringify(network) === JSON.stringify(recordedNetwork(begun))
}

// internal

const isSame = (one: NetnsIdentity, other: NetnsIdentity): boolean => one.dev === other.dev && one.ino === other.ino

/** The state in a record of this attachment. */
function recordIn(text: string, key: AttachmentKey): AttachmentRecord | undefined {
  const { v, network, containerID, ifName, ...state } = parsed(text)
  const isOfKey = network === key.network && containerID === key.containerID && ifName === key.ifName
  return v === 1 && isOfKey && isPlainRecord(state) ? state : undefined
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {} // no record
  }
}
