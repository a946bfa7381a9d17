import * as z from 'zod/mini'
import { captureSchema } from '../state/attachments.ts'
import { REFUSALS } from './refusal.ts'

/** Answer of the node agent to the plugin's `AddRequest`. */
export type ServeAnswer =
  | Exclude<SentAnswer, SentRedirect>
  | (Omit<SentRedirect, 'batch'> & { readonly batch?: Uint8Array | undefined })

/** Log line of the agent's decision, which the plugin prints. */
export type DecisionLine = z.infer<typeof log>[number]

/** Answer with the netlink batch in base64, as the agent sends it. */
type SentAnswer = z.infer<typeof answerSchema>
type SentRedirect = Extract<SentAnswer, { act: 'redirect' }>

/** Maximal size of the agent's answer, in bytes. */
export const MAX_ANSWER = 4 * 1024 * 1024

/** Encodes the agent's answer as JSON, with the netlink batch in base64. */
export function encodeAnswer(answer: ServeAnswer): string {
  if (answer.act !== 'redirect' || answer.batch === undefined) return JSON.stringify(answer)
  const { buffer, byteOffset, byteLength } = answer.batch
  return JSON.stringify({ ...answer, batch: Buffer.from(buffer, byteOffset, byteLength).toString('base64') })
}

/**
 * Parses the agent's answer, and checks that the batch consists of whole netlink messages.
 *
 * @throws Error that names the invalid member.
 */
export function readAnswer(body: string): ServeAnswer {
  const read = answerSchema.safeParse(JSON.parse(body))
  if (!read.success) throw new Error(`invalid answer: ${read.error.issues[0]?.path.map(String).join('.')}`)
  if (read.data.act !== 'redirect') return read.data
  const { batch: text, ...answer } = read.data
  if (text === undefined) return answer
  const batch = Buffer.from(text, 'base64')
  if (!isBatch(batch)) throw new Error('invalid answer: the batch is not a sequence of whole netlink messages')
  return { ...answer, batch }
}

// internal

const text = z.string().check(z.maxLength(64 * 1024))
const log = z
  .array(
    z.object({
      level: z.enum(['debug', 'info', 'warn', 'error']),
      message: text,
      fields: z.optional(z.record(z.string(), z.unknown())),
    }),
  )
  .check(z.maxLength(256))

const answerSchema = z.discriminatedUnion('act', [
  /** Decision `skip`: the pod starts without redirection. The log contains the reason. */
  z.object({ act: z.literal('skip'), log }),
  z.object({ act: z.literal('redirect'), log, config: captureSchema, batch: z.optional(z.string()) }),
  /** Decision `error`: the plugin's ADD fails with this error. */
  z.object({
    act: z.literal('error'),
    log,
    error: z.object({
      code: z.int().check(z.minimum(1), z.maximum(0xffff_ffff)),
      msg: text,
      details: z.optional(text),
      /** Message of the underlying error, the `cause`. */
      cause: z.optional(text),
    }),
  }),
  /** Refusal: the agent does not decide, and the plugin decides by itself. */
  z.object({ act: z.literal('refused'), reason: z.enum(REFUSALS), detail: z.optional(text) }),
])

/** True if the bytes are a sequence of whole netlink messages, by the length in each message's header. */
function isBatch(bytes: Buffer): boolean {
  let at = 0
  while (at + NETLINK_HEADER <= bytes.length) {
    const length = bytes.readUInt32LE(at)
    if (length < NETLINK_HEADER) return false
    at += (length + 3) & ~3
  }
  return at === bytes.length && at > 0
}

const NETLINK_HEADER = 16
