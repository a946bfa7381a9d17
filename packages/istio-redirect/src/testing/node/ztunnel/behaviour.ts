import * as z from 'zod/mini'

export const behaviourSchema = z.object({
  answer: z.optional(z.enum(['ack', 'never', 'twice', 'flood', 'junk', 'close'])),
  refuse: z.optional(z.string()),
  lateMs: z.optional(z.number()),
  fromStart: z.optional(z.boolean()),
  mute: z.optional(z.boolean()),
})

/** Faulty behaviour of the ztunnel stand-in, for tests. A correct ztunnel answers each message once and at once. */
export interface ZtunnelBehaviour {
  /** Reaction of the stand-in to an `add` message that a correct ztunnel would accept. Default: `ack`. */
  readonly answer?: 'ack' | 'never' | 'twice' | 'flood' | 'junk' | 'close' | undefined
  /** Error text with which the stand-in refuses all pods. */
  readonly refuse?: string | undefined
  /** Milliseconds by which the stand-in delays every answer. */
  readonly lateMs?: number | undefined
  /** True if the stand-in also misbehaves while the agent sends its snapshot. */
  readonly fromStart?: boolean | undefined
  /** True if the stand-in connects to the agent and sends nothing. */
  readonly mute?: boolean | undefined
}
