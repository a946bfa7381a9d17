import { isPodIdentity } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import { truncate } from '../../safe-text.ts'

/** Members of a Kubernetes pod that the repair controller reads. A member of the wrong type counts as absent. */
export interface ObservedPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, unknown>>
  readonly annotations: Readonly<Record<string, unknown>>
  readonly initContainers: readonly InitContainerStatus[]
  /** Addresses from the pod's status, `podIP` first. Not validated. */
  readonly podIPs: readonly string[]
}

/** Status of one init container: an item of the pod's `status.initContainerStatuses`. */
export interface InitContainerStatus {
  readonly name: string
  /** Current termination of the init container. `undefined` if the container waits or runs. */
  readonly terminated: Termination | undefined
  /** Previous termination of the init container. */
  readonly lastTerminated: Termination | undefined
}

/** Termination of a container: exit code, reason and message. */
export interface Termination {
  readonly exitCode: number
  readonly reason: string
  readonly message: string
}

/** Parses a pod from a Kubernetes list or watch. Returns `undefined` if the document is not a pod. */
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

/** Builds the key of a pod in the agent's stores: `namespace/name`. */
export const keyOf = ({ namespace, name }: Pick<ObservedPod, 'namespace' | 'name'>): string => `${namespace}/${name}`

/** Maximal length of a container's termination message in characters. Kubelet cuts longer messages. */
const MAX_MESSAGE_CHARS = 4096
/** Maximal number of init container statuses and addresses that the agent reads from a pod. */
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
  // A missing exit code of a container counts as 0, as Go clients of Kubernetes read it.
  return { exitCode: typeof exitCode === 'number' ? exitCode : 0, reason: cut(reason), message: cut(message) }
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const cut = (value: unknown): string => truncate(text(value), MAX_MESSAGE_CHARS)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
