import { be32, type NetlinkSocket } from '@cni/netns/netlink'
import { NLM_F_REQUEST } from '../netlink-flags.ts'

/**
 * A batch as it is sent once: refused unless the rules are those of a generation, and with numbers to know the answers by.
 * `undefined` for bytes that are no batch of nf_tables with a place for the generation. They come from another process.
 */
export function numberedBatch(batch: Uint8Array, { generation, first }: BatchNumbers): Uint8Array | undefined {
  const bytes = new Uint8Array(batch)
  if (bytes.length % 4 !== 0 || bytes.length < BEGIN_LENGTH + HEADER) return undefined
  const words = new Uint32Array(bytes.buffer)
  if (words[0] !== BEGIN_LENGTH || typeOf(words, 0) !== BEGIN || words[ATTRIBUTE] !== GENERATION) return undefined
  let last = BEGIN
  let length = 0
  let number = first
  for (let at = 0; at < words.length; ) {
    length = words[at] ?? 0
    if (length < HEADER || length % 4 !== 0 || at + length / 4 > words.length || last === END) return undefined
    last = typeOf(words, at)
    if (at > 0 && last !== END && last >> 8 !== NF_TABLES) return undefined
    words[at + SEQUENCE] = number++
    at += length / 4
  }
  if (last !== END || length !== END_LENGTH) return undefined
  bytes.set(be32(generation), GENERATION_AT)
  return bytes
}

/** What is written into a batch. */
export interface BatchNumbers {
  readonly generation: number
  /** Of its first message. */
  readonly first: number
}

/** The request for the count of changes. */
export function generationRequest(sequence: number): Uint8Array {
  return new Uint8Array(new Uint32Array([HEADER + 4, (NLM_F_REQUEST << 16) | GET_GENERATION, sequence, 0, 0]).buffer)
}

/** The count in the answer to it. Throws for what is none. */
export function generationIn(socket: NetlinkSocket, sequence: number): number {
  for (let left = MOST_ANSWERS; left > 0; left--) {
    const received = socket.receive()
    if (typeof received === 'string') break
    const words = wordsOf(received)
    if (words[SEQUENCE] !== sequence || typeOf(words, 0) !== NEW_GENERATION) continue
    // The first attribute, as the kernel has it; its value is in network order.
    if (words[ATTRIBUTE] !== GENERATION) break
    return swapped(words[GENERATION_AT / 4] ?? 0)
  }
  throw new Error('the kernel tells no generation')
}

/**
 * Whether the kernel has taken all of a batch, by what it says after it was sent. Newer kernels acknowledge its end, after all
 * else; others say nothing more.
 *
 * @param sent - with its numbers
 */
export function wasTaken(socket: NetlinkSocket, sent: Uint8Array): boolean {
  const numbers = wordsOf(sent)
  const first = numbers[SEQUENCE] ?? 0
  const last = numbers[numbers.length - END_LENGTH / 4 + SEQUENCE]
  for (let left = MOST_ANSWERS; left > 0; left--) {
    const received = socket.receive()
    if (received === 'lost') return false
    if (received === 'none') return true
    const words = wordsOf(received)
    for (let at = 0; at < words.length; ) {
      const length = words[at] ?? 0
      if (length < HEADER) return false
      const number = words[at + SEQUENCE] ?? 0
      const isOurs = number >= first && typeOf(words, at) === NLMSG_ERROR
      if (isOurs && words[at + ERRNO] !== 0) return false
      if (isOurs && number === last) return true
      at += (length + 3) >> 2
    }
  }
  return false
}

// internal

/** Bytes of a header. */
const HEADER = 16
const BEGIN = 0x10
const END = 0x11
const NLMSG_ERROR = 2
const GET_GENERATION = (10 << 8) | 16
const NEW_GENERATION = (10 << 8) | 15
const GENERATION = (1 << 16) | 8
const NF_TABLES = 10
// In words, as all of it lies: the sequence number, what an answer says, and, behind `nfgenmsg`, the first attribute.
const SEQUENCE = 2
const ERRNO = 4
const ATTRIBUTE = 5
const GENERATION_AT = 24
const BEGIN_LENGTH = GENERATION_AT + 4
const END_LENGTH = HEADER + 4
/** More than the messages of any batch. */
const MOST_ANSWERS = 100_000

const typeOf = (words: Uint32Array, at: number): number => (words[at + 1] ?? 0) & 0xffff

/** Copied: where the bytes lie in their buffer is not for us to say. */
const wordsOf = (received: Uint8Array): Uint32Array =>
  new Uint32Array(new Uint8Array(received).buffer, 0, received.length >> 2)

const swapped = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
