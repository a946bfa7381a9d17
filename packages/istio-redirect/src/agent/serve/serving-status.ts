import * as z from 'zod/mini'
import { type AmbientStatus, ambientStatusSchema } from './ambient-status.ts'

/** Status of the socket on which the agent answers the plugin, for `install-cni status`. */
export interface ServingStatus {
  readonly version: string
  /** Source of pods: a watch of the node's pods, or one request for each pod. */
  readonly pods: 'watched' | 'asked for'
  /** Reason why the agent cannot watch pods, and requests each pod from the API server instead. */
  readonly problem?: string | undefined
  /** Status of ambient mode. Absent if ambient mode is off, and from older agents. */
  readonly ambient?: AmbientStatus | undefined
  /** Reason why a stopping agent cannot tell if its DaemonSet is being updated or removed. */
  readonly upgrade?: string | undefined
}

/** HTTP path at which the agent serves its status. */
export const STATUS_PATH = '/status'

const statusSchema = z.object({
  version: z.string(),
  pods: z.enum(['watched', 'asked for']),
  problem: z.optional(z.string()),
  ambient: z.optional(ambientStatusSchema),
  upgrade: z.optional(z.string()),
})

/** Parses the agent's status from the body of an HTTP response. Throws if the body is invalid. */
export const readStatus = (body: string): ServingStatus => statusSchema.parse(JSON.parse(body))
