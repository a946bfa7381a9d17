import { type Attribute, encodeMessage, type Message, u32 } from '@cni/netns/netlink'
import type { FakeRefusal } from './fake-refusal.ts'

const NLMSG_ERROR = 2
const NLMSG_DONE = 3
const NLM_F_MULTI = 2
const NLM_F_CAPPED = 0x100
const NLM_F_ACK_TLVS = 0x200
const NLMSGERR_ATTR_OFFS = 2

/** Netlink message that the fake kernel sends to a socket. */
export interface Answer {
  readonly type: number
  readonly flags?: number
  readonly sequence: number
  readonly port: number
  readonly body: Uint8Array
}

/** Joins netlink messages of the fake kernel into one datagram. */
export function datagramOf(answers: readonly Answer[]): Buffer {
  return Buffer.concat(
    answers.map(({ type, flags = 0, sequence, port, body }) => {
      const bytes = encodeMessage({ type, flags, fixed: body })
      bytes.writeUInt32LE(sequence, 8)
      bytes.writeUInt32LE(port, 12)
      return bytes
    }),
  )
}

/** Answer of the fake kernel to a netlink message: acknowledges the message, or reports the refusal. */
export function acknowledgement({ type, flags, sequence }: Message, port: number, refusal?: FakeRefusal): Answer {
  // The flag `NLM_F_CAPPED` means that the answer repeats only the header of the acknowledged message.
  const header = encodeMessage({ type, flags })
  header.writeUInt32LE(sequence, 8)
  const offset = refusal?.offset
  const details: Attribute[] = offset === undefined ? [] : [[NLMSGERR_ATTR_OFFS, u32(offset)]]
  return {
    ...{ type: NLMSG_ERROR, flags: NLM_F_CAPPED | (details.length > 0 ? NLM_F_ACK_TLVS : 0), sequence, port },
    body: encodeMessage({
      ...{ type: 0, fixed: Buffer.concat([u32(-(refusal?.errno ?? 0)), header]), attributes: details },
    }).subarray(16),
  }
}

/** Maximum number of netlink messages that the fake kernel puts into one datagram. */
const MESSAGES_IN_DATAGRAM = 16

/** Datagrams of the fake kernel that answer a dump request, with the final message `NLMSG_DONE`. */
export function dumpDatagrams(type: number, bodies: readonly Uint8Array[], sequence: number, port: number): Buffer[] {
  const answers: Answer[] = bodies.map((body) => ({ type, flags: NLM_F_MULTI, sequence, port, body }))
  const end: Answer = { type: NLMSG_DONE, flags: NLM_F_MULTI, sequence, port, body: u32(0) }
  const datagrams: Buffer[] = []
  for (let at = 0; at < answers.length; at += MESSAGES_IN_DATAGRAM) {
    datagrams.push(datagramOf(answers.slice(at, at + MESSAGES_IN_DATAGRAM)))
  }
  return [...datagrams, datagramOf([end])]
}
