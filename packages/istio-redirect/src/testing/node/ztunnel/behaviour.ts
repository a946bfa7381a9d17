import * as z from 'zod/mini'

export const behaviourSchema = z.object({
  answer: z.optional(z.enum(['ack', 'never', 'twice', 'flood', 'junk', 'close'])),
  refuse: z.optional(z.string()),
  lateMs: z.optional(z.number()),
  fromStart: z.optional(z.boolean()),
  mute: z.optional(z.boolean()),
})

/** What a ztunnel may do instead of answering once, at once, as it should. */
export interface ZtunnelBehaviour {
  /** Its answer to a pod that it can take. Default `ack`. */
  readonly answer?: 'ack' | 'never' | 'twice' | 'flood' | 'junk' | 'close' | undefined
  /** It refuses all pods, with these words. */
  readonly refuse?: string | undefined
  /** Every answer comes so many milliseconds late. */
  readonly lateMs?: number | undefined
  /** It does all this also while it is told the snapshot. Default: afterwards only. */
  readonly fromStart?: boolean | undefined
  /** It connects, and says nothing. */
  readonly mute?: boolean | undefined
}
