import { NetnsError } from '../handle/netns-error.ts'
import { SCM_MAX_FD, SOCK_SEQPACKET, SOCK_STREAM } from './constants.ts'
import type { MessageLimits } from './transfer.ts'

/** Validated options of a unix socket connection. */
export interface ConnectionSettings extends MessageLimits {
  readonly socketType: number
  readonly maxPending: number
}

const MAX_BYTES = 64 * 1024 * 1024

/** Validates the options of a unix socket connection and fills in defaults. Throws `NetnsError('INVALID')`. */
export function settingsOf(options: {
  type?: 'seqpacket' | 'stream' | undefined
  maxBytes?: number | undefined
  maxFds?: number | undefined
  maxPending?: number | undefined
}): ConnectionSettings {
  const { type = 'seqpacket', maxBytes = 65_536, maxFds = 16, maxPending = 1_048_576 } = options
  if (type !== 'seqpacket' && type !== 'stream') {
    throw new NetnsError(
      'INVALID',
      `Unknown type of unix socket: ${JSON.stringify(type)}; expected "seqpacket" or "stream"`,
    )
  }
  const isPackets = type === 'seqpacket'
  return {
    socketType: isPackets ? SOCK_SEQPACKET : SOCK_STREAM,
    isPackets,
    maxBytes: inRange('maxBytes', maxBytes, 1, MAX_BYTES),
    maxFds: inRange('maxFds', maxFds, 0, SCM_MAX_FD),
    maxPending: inRange('maxPending', maxPending, 0, Number.MAX_SAFE_INTEGER),
  }
}

/** Checks that an option is an integer within bounds. Throws `NetnsError('INVALID')`. */
export function inRange(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw new NetnsError('INVALID', `${name} is ${value}: it must be an integer from ${least} to ${most}`)
}
