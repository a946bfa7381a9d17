import { be32, type NetlinkSocket } from '@cni/netns/netlink'
import { NLM_F_REQUEST } from '../netlink-flags.ts'

/**
 * Copies a batch, and writes generation number and sequence numbers into the copy. Returns `undefined` for invalid
 * bytes.
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

/** Generation number and sequence numbers that {@link numberedBatch} writes into a batch. */
export interface BatchNumbers {
  readonly generation: number
  /** Sequence number of the first message of the batch. */
  readonly first: number
}

/** Netlink request for the generation number of the namespace's rules. */
export function generationRequest(sequence: number): Uint8Array {
  return new Uint8Array(new Uint32Array([HEADER + 4, (NLM_F_REQUEST << 16) | GET_GENERATION, sequence, 0, 0]).buffer)
}

/** Reads the kernel's answer to a request for the generation number. Throws if the kernel sends no valid answer. */
export function generationIn(socket: NetlinkSocket, sequence: number): number {
  for (let left = MAX_ANSWERS; left > 0; left--) {
    const received = socket.receive()
    if (typeof received === 'string') break
    const words = wordsOf(received)
    if (words[SEQUENCE] !== sequence || typeOf(words, 0) !== NEW_GENERATION) continue
    // The kernel sends the generation number as the first attribute of its answer, in network byte order.
    if (words[ATTRIBUTE] !== GENERATION) break
    return swapBytes(words[GENERATION_AT / 4] ?? 0)
  }
  throw new Error('the kernel reported no generation')
}

/**
 * True if the kernel accepted the whole batch. Older kernels send no answer after success.
 *
 * @param sent - the batch with its sequence numbers
 */
export function wasTaken(socket: NetlinkSocket, sent: Uint8Array): boolean {
  const numbers = wordsOf(sent)
  const first = numbers[SEQUENCE] ?? 0
  const last = numbers[numbers.length - END_LENGTH / 4 + SEQUENCE]
  for (let left = MAX_ANSWERS; left > 0; left--) {
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

/** Length of a netlink message header in bytes. */
const HEADER = 16
const BEGIN = 0x10
const END = 0x11
const NLMSG_ERROR = 2
const GET_GENERATION = (10 << 8) | 16
const NEW_GENERATION = (10 << 8) | 15
const GENERATION = (1 << 16) | 8
const NF_TABLES = 10
// Positions in a netlink message, counted in 32-bit words.
const SEQUENCE = 2
const ERRNO = 4
const ATTRIBUTE = 5
const GENERATION_AT = 24
const BEGIN_LENGTH = GENERATION_AT + 4
const END_LENGTH = HEADER + 4
/** Maximum number of answers that are read for a batch, more than the number of messages in any batch. */
const MAX_ANSWERS = 100_000

const typeOf = (words: Uint32Array, at: number): number => (words[at + 1] ?? 0) & 0xffff

/** Converts a datagram to 32-bit words. Copies the bytes, because they may be unaligned in their buffer. */
const wordsOf = (received: Uint8Array): Uint32Array =>
  new Uint32Array(new Uint8Array(received).buffer, 0, received.length >> 2)

const swapBytes = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
