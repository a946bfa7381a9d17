import * as z from 'zod/mini'
import { type AmbientStatus, ambientStatusSchema } from './ambient-status.ts'

/** Status of the serving socket, for `install-cni status`. */
export interface ServingStatus {
  readonly version: string
  /** How it knows what a pod is. */
  readonly pods: 'watched' | 'asked for'
  /** Why pods are asked for one by one. */
  readonly problem?: string | undefined
  /** Absent where ambient mode is off, and from an agent that does not tell. */
  readonly ambient?: AmbientStatus | undefined
  /** Why an update of the DaemonSet could not be told from its removal. */
  readonly upgrade?: string | undefined
}

/** Path of the request for the status. */
export const STATUS_PATH = '/status'

const statusSchema = z.object({
  version: z.string(),
  pods: z.enum(['watched', 'asked for']),
  problem: z.optional(z.string()),
  ambient: z.optional(ambientStatusSchema),
  upgrade: z.optional(z.string()),
})

/** Reads the status from the body of an answer. Throws if it is not one. */
export const readStatus = (body: string): ServingStatus => statusSchema.parse(JSON.parse(body))
