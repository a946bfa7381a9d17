import { constants } from 'node:os'
import { decodeAttributes } from '@cni/netns/netlink'
import { NFGENMSG } from '../wire/messages.ts'

const NLMSG_HDRLEN = 16
const NLA_HDRLEN = 4
const ERESTART = 85

/** Error that the fake kernel throws to refuse a netlink message. */
export class FakeRefusal extends Error {
  readonly errno: number
  /** Offset of the invalid attribute from the start of the refused message. */
  readonly offset: number | undefined

  constructor(code: string, offset?: number) {
    super(code)
    this.errno = errnoOf(code)
    this.offset = offset
  }
}

/** Refuses a netlink message with an errno and the offset of the invalid attribute. */
export function refuse(code: string, body?: Buffer, type?: number): never {
  throw new FakeRefusal(code, body === undefined || type === undefined ? undefined : offsetOf(body, type))
}

/** Offset of an attribute from the start of a netlink message. */
export function offsetOf(body: Buffer, type: number): number | undefined {
  const found = startsOf(body.subarray(NFGENMSG)).find(([each]) => each === type)
  return found === undefined ? undefined : NLMSG_HDRLEN + NFGENMSG + found[1]
}

/** Type and offset of each attribute in encoded netlink attributes. */
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
  if (found === undefined) throw new Error(`Unknown errno ${JSON.stringify(code)}`)
  return found
}
