import { be32, cString, MessageWriter } from '@cni/netns/netlink'
import { NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST } from '../src/netlink/constants.ts'

// Constants of nf_tables that the batches of these tests need.
const BATCH_BEGIN = 0x10
const BATCH_END = 0x11
const NEWTABLE = 0x0a00
const NEWCHAIN = 0x0a03
const DELCHAIN = 0x0a05
const NEWRULE = 0x0a06
const INET = Uint8Array.of(1, 0, 0, 0)
const NF_TABLES = Uint8Array.of(0, 0, 0, 10)

/** Reads the generation of the rules: every commit adds one. */
export const getGeneration = { type: 0x0a10, fixed: new Uint8Array(4), what: 'Ask for the generation' }

/** Lists the rules of a table. */
export const listRules = { type: 0x0a07, fixed: INET, what: 'List rules' }

/** Builds a batch. Its beginning is message 0, the messages of `fill` start at 1, its end is the last message. */
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

/** Adds a table `ex` with a chain `c`. */
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

/** Adds a rule that jumps to a chain, or counts packets. */
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

/** Deletes a chain of the table. */
export function deleteChain(writer: MessageWriter, name: string): void {
  writer.begin(DELCHAIN, NLM_F_REQUEST, INET).string(1, 'ex').string(3, name).end()
}
