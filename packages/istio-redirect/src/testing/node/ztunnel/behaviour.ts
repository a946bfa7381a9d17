import * as z from 'zod/mini'

/** What a ztunnel may do instead of answering once, at once, as it should. */
export const behaviourSchema = z.object({
  /** What it does when it is told of a pod that it can take. Default `ack`. */
  answer: z.optional(z.enum(['ack', 'never', 'twice', 'flood', 'junk', 'close'])),
  /** It refuses all pods, with these words. */
  refuse: z.optional(z.string()),
  /** Every answer comes so many milliseconds late. */
  lateMs: z.optional(z.number()),
  /** It does all this also while it is told the snapshot. Default: afterwards only. */
  fromStart: z.optional(z.boolean()),
  /** It connects, and says nothing. */
  mute: z.optional(z.boolean()),
})

/** What a ztunnel may do instead of answering once, at once, as it should. */
export type ZtunnelBehaviour = Readonly<z.infer<typeof behaviourSchema>>
