import { isZtunnel, readAmbientPod } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import { parseAddress } from '@cni/types/ip'

/** ztunnel pod of the node, as the API server describes it. */
export interface ZtunnelPod {
  readonly uid: string
  /** Name of the ztunnel pod as `namespace/name`. */
  readonly name: string
  /** IPv4 address of the ztunnel pod. `undefined` if the pod has no address yet. */
  readonly ip: string | undefined
  /** True if the ztunnel pod has the condition `Ready`, and is neither terminating nor completed. */
  readonly ready: boolean
  /** Creation time of the ztunnel pod in milliseconds since 1970. */
  readonly created: number
  /** True if the ztunnel pod has the environment variable `ISTIO_META_DNS_CAPTURE` with the value `true`. */
  readonly dnsCapture: boolean
}

/**
 * Reads a ztunnel pod from a Pod object of the API server. Returns `undefined` for any other pod, and for an invalid
 * object.
 */
export function readZtunnelPod(
  document: unknown,
  settings: { readonly systemNamespace: string },
): ZtunnelPod | undefined {
  const pod = readAmbientPod(document)
  if (pod === undefined || pod.hostNetwork || !isZtunnel(pod, settings)) return undefined
  const { metadata, spec, status } = record(document)
  const { creationTimestamp, deletionTimestamp } = record(metadata)
  const created = typeof creationTimestamp === 'string' ? Date.parse(creationTimestamp) : Number.NaN
  return {
    uid: pod.uid,
    name: `${pod.namespace}/${pod.name}`,
    ip: pod.addresses.find((address) => parseAddress(address)?.length === 4),
    ready: isReady(status) && !pod.completed && (deletionTimestamp === undefined || deletionTimestamp === null),
    created: Number.isNaN(created) ? 0 : created,
    dnsCapture: list(record(spec).containers).some(capturesDns),
  }
}

/** Elects the newest ready ztunnel pod of the node. Pods created in the same second are ordered by UID. */
export function electZtunnel(pods: Iterable<ZtunnelPod>): (ZtunnelPod & { readonly ip: string }) | undefined {
  let elected: (ZtunnelPod & { readonly ip: string }) | undefined
  for (const pod of pods) {
    const { ip, ready } = pod
    if (!ready || ip === undefined) continue
    if (elected === undefined || isNewer(pod, elected)) elected = { ...pod, ip }
  }
  return elected
}

// internal

const isNewer = (one: ZtunnelPod, other: ZtunnelPod): boolean =>
  one.created === other.created ? one.uid > other.uid : one.created > other.created

const isReady = (status: unknown): boolean =>
  list(record(status).conditions).some((condition) => {
    const { type, status: is } = record(condition)
    return type === 'Ready' && is === 'True'
  })

const capturesDns = (container: unknown): boolean =>
  list(record(container).env).some((variable) => {
    const { name, value } = record(variable)
    return name === 'ISTIO_META_DNS_CAPTURE' && value === 'true'
  })

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
