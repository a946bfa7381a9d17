import { NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST } from './constants.ts'
import { encodeMessage, type MessageParts } from './encode.ts'

/** One request. `NLM_F_REQUEST`, and the flag that a method of the channel is about, are added by it. */
export interface Request extends MessageParts {
  /** What it does, as the beginning of an error message: `Add link "v0"`. */
  readonly what: string
}

/** What a request wants: one thing, an acknowledgement, a table. */
export type Way = 'get' | 'ask' | 'dump'

const flagOf = { get: 0, ask: NLM_F_ACK, dump: NLM_F_DUMP } as const

/** The request as bytes. */
export function encodeRequest(way: Way, { type, flags = 0, fixed, attributes }: Request): Buffer {
  return encodeMessage({ type, flags: flags | NLM_F_REQUEST | flagOf[way], fixed, attributes })
}
