import { be32, cString, MessageWriter } from '@cni/netns/netlink'
import { NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST } from '../src/netlink/constants.ts'

// Message types and headers of nf_tables that the batches of these tests need.
const BATCH_BEGIN = 0x10
const BATCH_END = 0x11
const NEWTABLE = 0x0a00
const NEWCHAIN = 0x0a03
const DELCHAIN = 0x0a05
const NEWRULE = 0x0a06
const INET = Uint8Array.of(1, 0, 0, 0)
const NF_TABLES = Uint8Array.of(0, 0, 0, 10)

/** Netlink request that reads the generation number of the nftables rules. Every commit increases the number by one. */
export const getGeneration = { type: 0x0a10, fixed: new Uint8Array(4), what: 'Ask for the generation' }

/** Netlink request that lists all nftables rules. */
export const listRules = { type: 0x0a07, fixed: INET, what: 'List rules' }

/** Builds an nftables batch. The messages that `fill` writes have the numbers from 1 on; message 0 begins the batch. */
export function batchOf(fill: (writer: MessageWriter) => void, options: { generation?: number } = {}): Buffer {
  const writer = new MessageWriter()
  writer.begin(BATCH_BEGIN, NLM_F_REQUEST, NF_TABLES)
  if (options.generation !== undefined) writer.be32(1, options.generation)
  writer.end()
  fill(writer)
  return writer
    .begin(BATCH_END, NLM_F_REQUEST | NLM_F_ACK, NF_TABLES)
    .end()
    .take()
}

/** Adds to a batch the messages that create an nftables table `ex` with a chain `c`. */
export function addChain(writer: MessageWriter): void {
  writer
    .begin(NEWTABLE, NLM_F_REQUEST | NLM_F_CREATE, INET)
    .string(1, 'ex')
    .be32(2, 0)
    .end()
  writer
    .begin(NEWCHAIN, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL, INET)
    .string(1, 'ex')
    .string(3, 'c')
    .end()
}

/** Adds to a batch an nftables rule that jumps to a chain, or counts packets. */
export function addRule(writer: MessageWriter, jump?: string): void {
  writer
    .begin(NEWRULE, NLM_F_REQUEST | NLM_F_CREATE, INET)
    .string(1, 'ex')
    .string(2, 'c')
    .nest(4)
    .nest(1)
  if (jump === undefined) {
    writer.string(1, 'counter')
  } else {
    const verdict = [
      2,
      [
        [
          2,
          [
            [1, be32(-3)],
            [2, cString(jump)],
          ],
        ],
      ],
    ] as const
    writer.string(1, 'immediate').attributes([[2, [[1, be32(0)], verdict]]])
  }
  writer.end().end().end()
}

/** Adds to a batch the message that deletes a chain of the nftables table `ex`. */
export function deleteChain(writer: MessageWriter, name: string): void {
  writer.begin(DELCHAIN, NLM_F_REQUEST, INET).string(1, 'ex').string(3, name).end()
}
