import { errnoName } from '../sys/errno.ts'
import { NLM_F_ACK_TLVS, NLM_F_CAPPED, NLMSG_DONE, NLMSG_ERROR, NLMSG_HDRLEN } from './constants.ts'
import { attributeMap, type Message } from './decode.ts'
import type { NetlinkError } from './netlink-error.ts'
import { readCString, readU32 } from './values.ts'

type Refusal = NetlinkError['refusal']

const NLMSGERR_ATTR_MSG = 1
const NLMSGERR_ATTR_OFFS = 2

/** Decodes the kernel's refusal, or returns `undefined` if the message reports no error. */
export function refusalIn({ type, flags, body }: Message, index: number): Refusal | undefined {
  // The DONE message at the end of a dump may lack the error number.
  const errno = body.length >= 4 ? -body.readInt32LE(0) : 0
  if (errno <= 0) return undefined
  const details = (flags & NLM_F_ACK_TLVS) === 0 ? undefined : attributesOf(body, detailsAt(type, flags, body))
  const text = readCString(details?.get(NLMSGERR_ATTR_MSG))
  const offset = readU32(details?.get(NLMSGERR_ATTR_OFFS))
  const request = type === NLMSG_ERROR && (flags & NLM_F_CAPPED) === 0 ? requestIn(body) : undefined
  return {
    index,
    errno,
    code: errnoName(errno),
    ...(text === undefined ? {} : { text }),
    ...(offset === undefined ? {} : { offset }),
    ...(request === undefined ? {} : { request }),
  }
}

function requestIn(body: Buffer): Buffer | undefined {
  const length = readU32(body.subarray(4))
  return length === undefined || 4 + length > body.length ? undefined : body.subarray(4, 4 + length)
}

/** Finds the offset of the attributes that explain a refusal, in the netlink message. */
function detailsAt(type: number, flags: number, body: Buffer): number {
  if (type === NLMSG_DONE) return 4
  return 4 + ((flags & NLM_F_CAPPED) === 0 ? (readU32(body.subarray(4)) ?? 0) : NLMSG_HDRLEN)
}

function attributesOf(body: Buffer, at: number): ReadonlyMap<number, Buffer> | undefined {
  try {
    return attributeMap(body, at)
  } catch {
    // Ignores an explanation of the kernel that cannot be decoded. The caller still reports the refusal with its errno.
    return undefined
  }
}
