import { constants } from 'node:os'
import { decodeAttributes } from '@cni/netns/netlink'
import { NFGENMSG } from '../wire/messages.ts'

const NLMSG_HDRLEN = 16
const NLA_HDRLEN = 4
const ERESTART = 85

/** What the fake refuses a message with. */
export class FakeRefusal extends Error {
  readonly errno: number
  /** Of the attribute that is to blame, from the beginning of the message. */
  readonly offset: number | undefined

  constructor(code: string, offset?: number) {
    super(code)
    this.errno = errnoOf(code)
    this.offset = offset
  }
}

/** Throws it, blaming an attribute of the message. */
export function refuse(code: string, body?: Buffer, type?: number): never {
  throw new FakeRefusal(code, body === undefined || type === undefined ? undefined : offsetOf(body, type))
}

/** Where an attribute of a message begins. */
export function offsetOf(body: Buffer, type: number): number | undefined {
  const found = startsOf(body.subarray(NFGENMSG)).find(([each]) => each === type)
  return found === undefined ? undefined : NLMSG_HDRLEN + NFGENMSG + found[1]
}

/** Each attribute's type, and where it begins. */
export function startsOf(attributes: Buffer): [type: number, at: number][] {
  let next = 0
  return decodeAttributes(attributes).map(([type, value]) => {
    const at = next
    next += NLA_HDRLEN + ((value.length + 3) & ~3)
    return [type, at]
  })
}

function errnoOf(code: string): number {
  if (code === 'ERESTART') return ERESTART
  const found = new Map<string, number>(Object.entries(constants.errno)).get(code)
  if (found === undefined) throw new Error(`There is no errno ${JSON.stringify(code)}`)
  return found
}
