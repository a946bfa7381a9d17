import { NetnsError } from '../handle/netns-error.ts'
import { SCM_MAX_FD, SOCK_SEQPACKET, SOCK_STREAM } from './constants.ts'
import type { MessageLimits } from './transfer.ts'

/** What connections of both ends have in common. */
export interface ConnectionOptions {
  /**
   * `seqpacket`: messages come whole, one by one. `stream`: bytes, cut anywhere; descriptors come with the first byte that
   * was sent with them. Default `seqpacket`.
   */
  readonly type?: 'seqpacket' | 'stream' | undefined
  /** Bytes of one message; what is longer is cut, and told. Default 65536. */
  readonly maxBytes?: number | undefined
  /** Descriptors of one message, at most 253; the kernel closes those beyond, which is told. Default 16. */
  readonly maxFds?: number | undefined
  /** Bytes that may wait in this process for a peer that does not read. Default 1048576. */
  readonly maxPending?: number | undefined
}

/** The same, checked. */
export interface ConnectionSettings extends MessageLimits {
  readonly socketType: number
  readonly maxPending: number
}

const MOST_BYTES = 64 * 1024 * 1024

/** Throws `NetnsError('INVALID')`. */
export function settingsOf(options: ConnectionOptions): ConnectionSettings {
  const { type = 'seqpacket', maxBytes = 65_536, maxFds = 16, maxPending = 1_048_576 } = options
  if (type !== 'seqpacket' && type !== 'stream') {
    throw new NetnsError(
      'INVALID',
      `No type of unix socket: ${JSON.stringify(type)}; there are "seqpacket" and "stream"`,
    )
  }
  const isPackets = type === 'seqpacket'
  return {
    socketType: isPackets ? SOCK_SEQPACKET : SOCK_STREAM,
    isPackets,
    maxBytes: within('maxBytes', maxBytes, 1, MOST_BYTES),
    maxFds: within('maxFds', maxFds, 0, SCM_MAX_FD),
    maxPending: within('maxPending', maxPending, 0, Number.MAX_SAFE_INTEGER),
  }
}

/** An integer between two others, or `NetnsError('INVALID')`. */
export function within(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw new NetnsError('INVALID', `${name} is ${value}: it must be an integer from ${least} to ${most}`)
}
