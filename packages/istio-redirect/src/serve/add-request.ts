import { isPodIdentity } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import * as z from 'zod/mini'
import { selectorsSchema } from '../conf/conf.ts'
import type { KnownAddresses } from '../decide/captured-families.ts'
import type { AddCall } from '../decide/decide-add.ts'
import { Refusal } from './refusal.ts'

/** Request of the plugin to the node agent, sent as JSON by `POST /add` to the agent's socket. */
export interface AddRequest {
  /** Version of the plugin: `VERSION` of `@cni/host/cli`. An agent of another version refuses the request. */
  readonly version: string
  readonly call: AddCall
  /** True if the plugin writes native nftables rules instead of iptables rules. */
  readonly native: boolean
  readonly addresses: KnownAddresses
}

/** HTTP path of the plugin's ADD request to the agent. */
export const ADD_PATH = '/add'

/** Maximal size of the plugin's request to the agent, in bytes. */
export const MAX_REQUEST = 1024 * 1024

/** Encodes the plugin's request to the agent. The request contains no secrets. */
export function encodeRequest({ call, ...request }: AddRequest): string {
  const { pod, settings, env } = call
  const { ambientSelectors, ambientOptOut } = settings
  const sent = { pod, settings: { ambientSelectors, ambientOptOut }, env: redirectionVariables(env) }
  return JSON.stringify({ ...request, call: sent })
}

/**
 * Parses the body of a plugin's request to the agent.
 *
 * @throws Refusal if the body is invalid, or comes from a plugin of another version.
 */
export function readRequest(body: string, version: string): AddRequest {
  const document = parsed(body)
  // Compares the version first, because requests of all plugin versions have the member `version`. Other members may
  // differ.
  if (isObject(document) && typeof document.version === 'string' && document.version !== version) {
    throw new Refusal('version', `this is version ${version}; asked was ${document.version.slice(0, 100)}`)
  }
  const read = requestSchema.safeParse(document)
  if (read.success) return read.data
  const path = read.error.issues[0]?.path.map(String).join('.') || 'the document'
  throw new Refusal('request', `${path.slice(0, 100)} is invalid`)
}

// internal

/** Schema of a plugin's request. The agent validates requests, because a client may be malicious. */
const requestSchema: z.ZodMiniType<AddRequest> = z.object({
  version: z.string(),
  call: z.object({
    pod: z
      .object({ namespace: z.string(), name: z.string(), uid: z.optional(z.string()) })
      .check(z.refine(isPodIdentity)),
    settings: z.object({ ambientSelectors: selectorsSchema, ambientOptOut: z.boolean() }),
    env: z.record(z.string(), z.string()),
  }),
  native: z.boolean(),
  addresses: z.object({
    place: z.string(),
    told: z.array(z.string()),
    found: z.array(z.string()),
    ipv6Off: z.boolean(),
  }),
})

const redirectionVariables = (env: AddCall['env']): AddCall['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('ISTIO_OUTBOUND_')))

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Refusal('request', 'it is not JSON')
  }
}
