import { isZtunnel, readAmbientPod } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import { parseAddress } from '@cni/types/ip'

/** A ztunnel of the node, as the API server describes it. */
export interface ZtunnelPod {
  readonly uid: string
  /** `namespace/name` */
  readonly name: string
  /** Of IPv4; `undefined`: none yet. */
  readonly ip: string | undefined
  /** Its condition `Ready`; one that is being deleted, or has ended, is not. */
  readonly ready: boolean
  /** Milliseconds after 1970. */
  readonly created: number
  /** Its variable `ISTIO_META_DNS_CAPTURE` is `true`. */
  readonly dnsCapture: boolean
}

/** Reads a ztunnel out of a list or a watch; `undefined` for any other pod, and for what is none. */
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

/** The one that serves the node: of those that are ready the newest. Of two of the same second always the same one. */
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
