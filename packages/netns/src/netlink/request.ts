import { NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST } from './constants.ts'
import { encodeMessage, type Request } from './encode.ts'

/** Type of a netlink request: `get` reads one object, `ask` makes a change, `dump` reads a table. */
export type RequestKind = 'get' | 'ask' | 'dump'

const flagOf = { get: 0, ask: NLM_F_ACK, dump: NLM_F_DUMP } as const

/** Encodes a netlink request. */
export function encodeRequest(kind: RequestKind, { type, flags = 0, fixed, attributes }: Request): Buffer {
  return encodeMessage({ type, flags: flags | NLM_F_REQUEST | flagOf[kind], fixed, attributes })
}
