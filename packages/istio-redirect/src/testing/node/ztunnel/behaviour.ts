import * as z from 'zod/mini'

export const behaviourSchema = z.object({
  answer: z.optional(z.enum(['ack', 'never', 'twice', 'flood', 'junk', 'close'])),
  refuse: z.optional(z.string()),
  lateMs: z.optional(z.number()),
  fromStart: z.optional(z.boolean()),
  mute: z.optional(z.boolean()),
})

/** Faulty behaviour of a ztunnel. A correct ztunnel answers each message once and at once. */
export interface ZtunnelBehaviour {
  /** Answer to a pod that ztunnel can accept. Default: `ack`. */
  readonly answer?: 'ack' | 'never' | 'twice' | 'flood' | 'junk' | 'close' | undefined
  /** Error text with which ztunnel refuses all pods. */
  readonly refuse?: string | undefined
  /** Milliseconds by which every answer is delayed. */
  readonly lateMs?: number | undefined
  /** True if ztunnel misbehaves also during the snapshot. Default: only after it. */
  readonly fromStart?: boolean | undefined
  /** True if ztunnel connects and sends nothing. */
  readonly mute?: boolean | undefined
}
