import { closeSync } from 'node:fs'
import { failed, socketCalls } from '../ready/socket-calls.ts'
import { MSG_DONTWAIT, MSG_TRUNC } from '../sys/constants.ts'
import {
  EAGAIN,
  ECONNRESET,
  EINTR,
  MSG_CMSG_CLOEXEC,
  MSG_CTRUNC,
  MSG_NOSIGNAL,
  SCM_MAX_FD,
  SCM_RIGHTS,
  SOL_SOCKET,
} from './constants.ts'
import { messageOf, type UnixMessage } from './message.ts'

/** Limits of a message that a unix socket receives. */
export interface MessageLimits {
  readonly isPackets: boolean
  readonly maxBytes: number
  readonly maxFds: number
}

// Offsets of the structures in the memory block for sendmsg and recvmsg.
const AT = { vector: 16, vectors: 24, control: 32, controlLength: 40, flags: 48, base: 56, length: 64 }
const CONTROL = 72
const CMSGHDR = 16
const DATA = CONTROL + CMSGHDR + 4 * (SCM_MAX_FD + 1)

/** Allocates the memory block for sendmsg or recvmsg. The block contains its own address, so it must not move. */
function blockWith(dataSize: number): Buffer {
  const block = Buffer.from(new ArrayBuffer(DATA + dataSize))
  const start = addressOf(block)
  block.writeBigUInt64LE(start + BigInt(AT.base), AT.vector)
  block.writeBigUInt64LE(1n, AT.vectors)
  block.writeBigUInt64LE(start + BigInt(CONTROL), AT.control)
  block.writeBigUInt64LE(start + BigInt(DATA), AT.base)
  return block
}

const addressOf = (bytes: Uint8Array): bigint => BigInt(socketCalls().addressOf(bytes))

let outgoing: Buffer | undefined

function blockForRights(): Buffer {
  const block = blockWith(0)
  block.writeInt32LE(SOL_SOCKET, CONTROL + 8)
  block.writeInt32LE(SCM_RIGHTS, CONTROL + 12)
  return block
}

/** Sends bytes and descriptors. Returns `full` if the kernel accepted neither. */
export function transmit(fd: number, bytes: Uint8Array, fds: readonly number[]): number | 'full' {
  outgoing ??= blockForRights()
  const controlLength = fds.length === 0 ? 0 : CMSGHDR + 4 * fds.length
  outgoing.writeBigUInt64LE(addressOf(bytes), AT.base)
  outgoing.writeUInt32LE(bytes.length, AT.length)
  outgoing.writeUInt32LE(controlLength, AT.controlLength)
  outgoing.writeUInt32LE(controlLength, CONTROL)
  for (const [index, each] of fds.entries()) outgoing.writeInt32LE(each, CONTROL + CMSGHDR + 4 * index)
  const { functions, errno } = socketCalls()
  for (;;) {
    const sent = functions.sendmsg(fd, outgoing, MSG_DONTWAIT | MSG_NOSIGNAL)
    if (sent !== -1) return sent
    const number = errno()
    if (number === EAGAIN) return 'full'
    // Calls sendmsg again after ECONNRESET, because the second call fails with EPIPE, which callers expect.
    if (number !== EINTR && number !== ECONNRESET) throw failed('sendmsg', `${bytes.length} bytes to ${fd}`)
  }
}

let incoming: Buffer | undefined

/** Receives a message through a unix socket. Returns `undefined` after the last message. */
export function receive(fd: number, { maxBytes, maxFds, isPackets }: MessageLimits): UnixMessage | undefined | 'none' {
  if (incoming === undefined || incoming.length < DATA + maxBytes) incoming = blockWith(maxBytes)
  const block = incoming
  const { functions, errno } = socketCalls()
  // MSG_TRUNC makes the kernel return the full length of a packet. The full length tells the number of lost bytes.
  const flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC | (isPackets ? MSG_TRUNC : 0)
  for (;;) {
    block.writeUInt32LE(maxBytes, AT.length)
    block.writeUInt32LE(maxFds === 0 ? 0 : CMSGHDR + 4 * maxFds, AT.controlLength)
    const length = functions.recvmsg(fd, block, flags)
    if (length !== -1) return received(block, length, maxBytes)
    const number = errno()
    if (number === EAGAIN) return 'none'
    // Calls recvmsg again after ECONNRESET, because messages from the peer may still be unread.
    if (number !== EINTR && number !== ECONNRESET) throw failed('recvmsg', `from ${fd}`)
  }
}

function received(block: Buffer, length: number, maxBytes: number): UnixMessage | undefined {
  const fds = descriptorsIn(block.subarray(CONTROL, CONTROL + block.readUInt32LE(AT.controlLength)))
  if (length === 0) {
    for (const each of fds) closeSync(each)
    return undefined
  }
  const fitting = Math.min(length, maxBytes)
  const bytes = Buffer.from(block.subarray(DATA, DATA + fitting))
  return messageOf(bytes, fds, length - fitting, (block.readUInt32LE(AT.flags) & MSG_CTRUNC) !== 0)
}

function descriptorsIn(control: Buffer): number[] {
  const fds: number[] = []
  for (let at = 0; at + CMSGHDR <= control.length; ) {
    const end = at + Math.max(control.readUInt32LE(at), CMSGHDR)
    const isRights = control.readInt32LE(at + 8) === SOL_SOCKET && control.readInt32LE(at + 12) === SCM_RIGHTS
    for (let each = at + CMSGHDR; isRights && each + 4 <= end; each += 4) fds.push(control.readInt32LE(each))
    at = (end + 7) & ~7
  }
  return fds
}
