import * as z from 'zod/mini'
import { ambientStatusSchema } from './ambient-status.ts'

/** HTTP path at which the agent serves its status. */
export const STATUS_PATH = '/status'

const statusSchema = z.object({
  version: z.string(),
  /** Source of the agent's knowledge about pods: a watch of the node's pods, or one API request for each pod. */
  pods: z.enum(['watched', 'asked for']),
  /** Reason why the agent cannot watch pods, and requests each pod from the API server instead. */
  problem: z.optional(z.string()),
  /** Status of ambient mode. Absent if ambient mode is off, and in the status of older agents. */
  ambient: z.optional(ambientStatusSchema),
  /** Reason why a stopping agent cannot tell if its DaemonSet is being updated or removed. */
  upgrade: z.optional(z.string()),
})

/** Status of the socket on which the agent answers the plugin, for `install-cni status`. */
export type ServingStatus = z.infer<typeof statusSchema>

/** Parses the agent's status from the body of an HTTP response. Throws if the body is invalid. */
export const readStatus = (body: string): ServingStatus => statusSchema.parse(JSON.parse(body))
