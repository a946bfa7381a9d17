import { goStringify, parseJson } from '@cni/types'
import * as z from 'zod/mini'

/** The two methods of the daemon. */
export type Method = 'AddPod' | 'DelPod'

/** What both methods get. What is empty is not sent. */
export interface PodRequest {
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly infraContainerID: string | undefined
  /** Always `/proc/PID/…`: the daemon takes the process id out of it. */
  readonly netns: string | undefined
  readonly ifName: string
}

const text = z.optional(z.string())
const podResponse = z.object({
  result: z.optional(z.int().check(z.nonnegative())),
  endpointid: text,
  ipaddress: text,
  ipv6address: text,
  errmsg: text,
  errinfo: text,
})

/** What both methods answer; `result` 0, or none, is success. */
export type PodResponse = z.infer<typeof podResponse>

/** The body of a request, with the bytes of the original client. */
export function encodeRequest({ name, namespace, infraContainerID, netns, ifName }: PodRequest): string {
  return goStringify({
    K8S_POD_NAME: name || undefined,
    K8S_POD_NAMESPACE: namespace || undefined,
    K8S_POD_INFRA_CONTAINER_ID: infraContainerID || undefined,
    CNI_NETNS: netns || undefined,
    CNI_IFNAME: ifName || undefined,
  })
}

/**
 * Reads the body of an answer.
 *
 * @throws when it is none, naming the member.
 */
export function decodeResponse(body: string): PodResponse {
  const parsed = z.safeParse(podResponse, parseJson(body, 'unreadable answer'))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`unreadable answer: ${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'invalid'}`)
}
