import * as z from 'zod/mini'
import { type AmbientStatus, ambientStatusSchema } from './ambient-status.ts'

/** Status of the serving socket, for `install-cni status`. */
export interface ServingStatus {
  readonly version: string
  /** Source of pods: a watch of the node's pods, or one API request for each pod. */
  readonly pods: 'watched' | 'asked for'
  /** Reason why pods are requested one by one. */
  readonly problem?: string | undefined
  /** Status of ambient mode. Absent if ambient mode is off, and from older agents. */
  readonly ambient?: AmbientStatus | undefined
  /** Reason why the agent cannot distinguish an update of its DaemonSet from a removal. */
  readonly upgrade?: string | undefined
}

/** HTTP path of the status. */
export const STATUS_PATH = '/status'

const statusSchema = z.object({
  version: z.string(),
  pods: z.enum(['watched', 'asked for']),
  problem: z.optional(z.string()),
  ambient: z.optional(ambientStatusSchema),
  upgrade: z.optional(z.string()),
})

/** Parses the status from the body of an answer. Throws if the body is invalid. */
export const readStatus = (body: string): ServingStatus => statusSchema.parse(JSON.parse(body))
