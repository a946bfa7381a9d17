import { isPodIdentity } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import { beginning } from '../../foreign-text.ts'

/** What repair looks at of a pod. What has the wrong type counts as absent. */
export interface ObservedPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, unknown>>
  readonly annotations: Readonly<Record<string, unknown>>
  readonly initContainers: readonly InitContainerStatus[]
  /** `podIP` first; whatever the status says. */
  readonly podIPs: readonly string[]
}

/** One entry of `status.initContainerStatuses`. */
export interface InitContainerStatus {
  readonly name: string
  /** How it ended, if it is not waiting or running. */
  readonly terminated: Termination | undefined
  /** How it ended the time before. */
  readonly lastTerminated: Termination | undefined
}

/** How a container ended. */
export interface Termination {
  readonly exitCode: number
  readonly reason: string
  readonly message: string
}

/** Reads a pod out of a list or a watch; `undefined` for anything that cannot be one. */
export function observePod(document: unknown): ObservedPod | undefined {
  const pod = record(document)
  const metadata = record(pod.metadata)
  const who = { namespace: text(metadata.namespace), name: text(metadata.name) }
  const uid = text(metadata.uid)
  const resourceVersion = text(metadata.resourceVersion)
  if (!isPodIdentity(who) || !token.test(uid) || !token.test(resourceVersion)) return undefined
  const status = record(pod.status)
  return {
    ...who,
    uid,
    resourceVersion,
    labels: record(metadata.labels),
    annotations: record(metadata.annotations),
    initContainers: list(status.initContainerStatuses).slice(0, MAX_STATUSES).map(initContainer),
    podIPs: [
      status.podIP,
      ...list(status.podIPs)
        .slice(0, MAX_ADDRESSES)
        .map((entry) => record(entry).ip),
    ]
      .map(text)
      .filter((ip) => ip !== '' && ip.length <= MAX_ADDRESS_CHARS),
  }
}

/** `namespace/name` */
export const keyOf = ({ namespace, name }: Pick<ObservedPod, 'namespace' | 'name'>): string => `${namespace}/${name}`

/** Longest message of a container that is looked at: kubelet cuts them there. */
const MAX_MESSAGE_CHARS = 4096
/** Most containers and addresses that are looked at. Kubernetes gives a pod two addresses. */
const MAX_STATUSES = 256
const MAX_ADDRESSES = 16
const MAX_ADDRESS_CHARS = 64

const token = /^[A-Za-z0-9-]{1,128}$/

function initContainer(entry: unknown): InitContainerStatus {
  const { name, state, lastState } = record(entry)
  return { name: text(name), terminated: termination(state), lastTerminated: termination(lastState) }
}

function termination(state: unknown): Termination | undefined {
  const { terminated } = record(state)
  if (!isObject(terminated)) return undefined
  const { exitCode, reason, message } = terminated
  // Absent is zero, as for a client written in Go.
  return { exitCode: typeof exitCode === 'number' ? exitCode : 0, reason: cut(reason), message: cut(message) }
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const cut = (value: unknown): string => beginning(text(value), MAX_MESSAGE_CHARS)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
