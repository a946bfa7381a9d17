import { isKubeError } from '@cni/kube'
import type { StoredPod } from '@cni/kube/testing'
import * as z from 'zod/mini'
import { meshPod, plainPod } from '../../../packages/istio-redirect/src/testing/pods.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'
import { create, send } from './requests.ts'

/** Label that a repair controller sets on a broken pod. */
export const LABEL = 'cni.istio.io/uninitialized'

/** Namespace and name of a pod in the API server. */
interface PodName {
  readonly namespace: string
  readonly name: string
}

/** Creates a pod on a node. */
export const createOn = (kube: KubeServer, nodeName: string, pod: StoredPod): Promise<unknown> =>
  create(kube, { ...pod, apiVersion: 'v1', kind: 'Pod', spec: { ...pod.spec, nodeName } })

/** Sets the status of a pod's init container `istio-validation`. */
export function setValidation(
  kube: KubeServer,
  pod: PodName,
  status: { readonly state: object; readonly lastState?: object },
): Promise<unknown> {
  const validation = { name: 'istio-validation', image: '', imageID: '', ready: false, restartCount: 1, ...status }
  return send(kube, 'PATCH', `${pathOf(pod)}/status`, { status: { initContainerStatuses: [validation] } })
}

/** Reads the metadata of a pod that a repair controller or the agent may change. */
export async function metadataOf(kube: KubeServer, pod: PodName) {
  return podSchema.parse(await send(kube, 'GET', pathOf(pod))).metadata
}

/** Creates a random pod name, because tests must not use the same pod. */
export const podName = (): string => `web-${Math.random().toString(36).slice(2, 8)}`

/** Creates a pod in the namespace `demo`: with a sidecar, with the label of ambient mode, or with neither. */
export async function createPod(kube: KubeServer, name: string, kind: 'mesh' | 'ambient' | 'plain'): Promise<void> {
  const labels = kind === 'ambient' ? { 'istio.io/dataplane-mode': 'ambient' } : {}
  await createOn(kube, 'n1', (kind === 'mesh' ? meshPod : plainPod)({ ...demo(name), labels }))
}

/** Creates a pod with a sidecar whose init container `istio-validation` found no rules. */
export async function createBroken(kube: KubeServer, name: string): Promise<void> {
  await createPod(kube, name, 'mesh')
  await setValidation(kube, demo(name), {
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode: 126, reason: 'Error' } },
  })
}

/** Removes the label that the repair controller has set on a pod. */
export const unlabel = (kube: KubeServer, name: string): Promise<unknown> =>
  send(kube, 'PATCH', pathOf(demo(name)), { metadata: { labels: { [LABEL]: null } } })

export const isLabelled = async (kube: KubeServer, name: string): Promise<boolean> =>
  (await metadataOf(kube, demo(name))).labels?.[LABEL] === 'true'

export const isEnrolled = async (kube: KubeServer, name: string): Promise<boolean> =>
  (await metadataOf(kube, demo(name))).annotations?.['ambient.istio.io/redirection'] === 'enabled'

export async function isDeleted(kube: KubeServer, name: string): Promise<boolean> {
  try {
    return (await metadataOf(kube, demo(name))).deletionTimestamp !== undefined
  } catch (error) {
    return isKubeError(error) && error.status === 404
  }
}

// internal

const podSchema = z.object({
  metadata: z.object({
    labels: z.optional(z.record(z.string(), z.string())),
    annotations: z.optional(z.record(z.string(), z.string())),
    deletionTimestamp: z.optional(z.string()),
  }),
})

const demo = (name: string): PodName => ({ namespace: 'demo', name })

const pathOf = ({ namespace, name }: PodName): string => `/api/v1/namespaces/${namespace}/pods/${name}`
