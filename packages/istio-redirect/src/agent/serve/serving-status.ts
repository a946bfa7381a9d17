import * as z from 'zod/mini'
import { encodeFrame, type Frame } from '../../serve/frame.ts'
import { type AmbientStatus, ambientStatusSchema } from '../ambient/ambient-status.ts'

/** How an agent serves: what `install-cni status` asks for over the socket itself. */
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

const QUESTION = '{"status":true}'

const statusSchema = z.object({
  version: z.string(),
  pods: z.enum(['watched', 'asked for']),
  problem: z.optional(z.string()),
  ambient: z.optional(ambientStatusSchema),
  upgrade: z.optional(z.string()),
})

/** The question, as it is sent. */
export const statusQuestion = (): Uint8Array => encodeFrame({ status: true })

/** Whether a frame is the question. */
export const isStatusQuestion = ({ json }: Frame): boolean => json === QUESTION

/** The answer in a frame; throws for what is none. */
export const readStatus = ({ json }: Frame): ServingStatus => statusSchema.parse(JSON.parse(json))
