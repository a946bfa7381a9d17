import { isObject } from '@cni/types'
import { parseAddress } from '@cni/types/ip'
import { usableAddresses } from '../capture/families.ts'
import { isPodIdentity, type PodIdentity } from '../pod/pod-identity.ts'
import type { Labels } from './label-selector.ts'

/** What of a pod decides whether its traffic goes through ztunnel, and how. */
export interface AmbientPod extends PodIdentity {
  readonly uid: string
  /** `spec.serviceAccountName`, `''` when there is none. */
  readonly serviceAccount: string
  readonly labels: Labels
  readonly annotations: Labels
  /** Annotations that say more than is kept: their length in characters. */
  readonly tooLong?: Readonly<Record<string, number>> | undefined
  readonly hostNetwork: boolean
  /** It has ended for good (`Succeeded`, `Failed`). */
  readonly completed: boolean
  /** Canonical, each once: `status.podIPs`, or `status.podIP` where that is absent. */
  readonly addresses: readonly string[]
}

/**
 * Reads a pod out of a list or a watch; `undefined` for anything that cannot be one. A member of the wrong type counts
 * as absent, and what is no address is left out.
 *
 * @example
 * ```ts
 * import { readAmbientPod } from '@cni/istio-rules'
 *
 * const metadata = { namespace: 'shop', name: 'web', uid: '55efbedd-5af0-4fb0-b896-61604f0b0b53' }
 * export const pod = readAmbientPod({ metadata, status: { podIP: '10.0.0.9' } }) // addresses: ['10.0.0.9']
 * ```
 */
export function readAmbientPod(document: unknown): AmbientPod | undefined {
  const { metadata, spec, status } = record(document)
  const { namespace, name, uid, labels, annotations } = record(metadata)
  const who = { namespace: text(namespace), name: text(name) }
  if (!isPodIdentity(who) || !podUid.test(text(uid))) return undefined
  const { hostNetwork, serviceAccountName } = record(spec)
  const { phase, podIP, podIPs } = record(status)
  const several = Array.isArray(podIPs) ? podIPs.slice(0, MAX_ADDRESSES).map((entry) => record(entry).ip) : []
  return {
    ...who,
    uid: text(uid),
    serviceAccount: text(serviceAccountName),
    labels: texts(labels),
    annotations: texts(annotations),
    hostNetwork: hostNetwork === true,
    completed: phase === 'Succeeded' || phase === 'Failed',
    addresses: podAddresses(several.length > 0 ? several : [podIP]),
  }
}

/**
 * The addresses by which others reach a pod, in canonical text and each once, an IPv4 address in IPv6 notation as the
 * IPv4 address it is; anything else is left out.
 */
export function podAddresses(given: readonly unknown[]): string[] {
  const found = given.map(text).filter((each) => parseAddress(each) !== undefined)
  // One by one: they keep their order.
  return [...new Set(found.map((each) => usableAddresses([each])).flatMap(({ ipv4, ipv6 }) => [...ipv4, ...ipv6]))]
}

// internal

/** Kubernetes gives a pod two. */
const MAX_ADDRESSES = 16

/** The UID of a static pod is 32 digits without a dash. ztunnel reads at most 1024 bytes with names in them. */
const podUid = /^[A-Za-z0-9-]{1,128}$/

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const texts = (value: unknown): Labels =>
  Object.fromEntries(
    Object.entries(record(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
