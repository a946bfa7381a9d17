import { isObject } from '@cni/types'
import { parseAddress } from '@cni/types/ip'
import { usableAddresses } from '../capture/families.ts'
import { isPodIdentity, type PodIdentity } from '../pod/pod-identity.ts'
import type { Labels } from './label-selector.ts'

/** Properties of a pod that decide if and how its traffic is captured in ambient mode. */
export interface AmbientPod extends PodIdentity {
  readonly uid: string
  /** Value of the pod's `spec.serviceAccountName`. `''` if absent. */
  readonly serviceAccount: string
  readonly labels: Labels
  readonly annotations: Labels
  /** Original length in characters of each annotation value that the agent has cut, by annotation key. */
  readonly tooLong?: Readonly<Record<string, number>> | undefined
  readonly hostNetwork: boolean
  /** True if the pod's phase is `Succeeded` or `Failed`. */
  readonly completed: boolean
  /**
   * Addresses of the pod in canonical form, without duplicates. Read from `status.podIPs`, or from `status.podIP` if
   * `status.podIPs` is absent.
   */
  readonly addresses: readonly string[]
}

/**
 * Parses a pod object from the API server's list or watch. Returns `undefined` for an invalid pod. Members of the wrong
 * type count as absent. Invalid addresses are skipped.
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
 * Lists the addresses by which other hosts reach a pod, in canonical form. Removes duplicates, and skips invalid,
 * loopback and link-local addresses. An IPv4-mapped IPv6 address becomes an IPv4 address.
 */
export function podAddresses(given: readonly unknown[]): string[] {
  const found = given.map(text).filter((each) => parseAddress(each) !== undefined)
  // Calls `usableAddresses` per address, because one call would sort the list by family.
  return [...new Set(found.map((each) => usableAddresses([each])).flatMap(({ ipv4, ipv6 }) => [...ipv4, ...ipv6]))]
}

// internal

/** Limit of addresses per pod. Kubernetes gives a pod at most two. */
const MAX_ADDRESSES = 16

/** Pattern of pod UIDs. The limit of 128 characters keeps ztunnel's messages below 1024 bytes. */
const podUid = /^[A-Za-z0-9-]{1,128}$/

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const texts = (value: unknown): Labels =>
  Object.fromEntries(
    Object.entries(record(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
