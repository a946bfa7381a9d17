import type { Expected } from './answers.ts'
import { NLM_F_ACK } from './constants.ts'
import { eachMessage } from './decode.ts'
import type { RequestKind } from './request.ts'

const SEQUENCE_AT = 8
const FLAGS_AT = 6

/** Writes sequence numbers into a request or batch. Returns the numbers to expect in the kernel's answers. */
export function numberMessages(datagram: Buffer, first: number, kind: RequestKind | undefined): Expected {
  if (kind !== undefined) {
    datagram.writeUInt32LE(first, SEQUENCE_AT)
    return { kind, first, last: first, final: first }
  }
  let last = first - 1
  let final: number | undefined
  eachMessage(datagram, (at) => {
    datagram.writeUInt32LE(++last, at + SEQUENCE_AT)
    if ((datagram.readUInt16LE(at + FLAGS_AT) & NLM_F_ACK) !== 0) final = last
  })
  return { kind, first, last, final }
}
