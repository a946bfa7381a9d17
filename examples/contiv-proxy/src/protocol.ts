import { goStringify, parseJson } from '@cni/types'
import * as z from 'zod/mini'

/** Names of the two methods that the Contiv daemon serves. */
export type Method = 'AddPod' | 'DelPod'

/** Body of a request to the daemon, the same for `AddPod` and `DelPod`. Empty members are not sent. */
export interface PodRequest {
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly infraContainerID: string | undefined
  /** Path `/proc/PID/ns/net` of the pod's namespace. The daemon takes the process id from this path. */
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

/** Body of the daemon's response. A `result` of 0, or no `result`, means success. */
export type PodResponse = z.infer<typeof podResponse>

/** Encodes a request to the daemon with the same bytes as the original Contiv client. */
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
 * Decodes the body of the daemon's response.
 *
 * @throws an error that names the invalid member of the response
 */
export function decodeResponse(body: string): PodResponse {
  const parsed = z.safeParse(podResponse, parseJson(body, 'unreadable answer'))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`unreadable answer: ${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'invalid'}`)
}
