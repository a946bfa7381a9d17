import { isKubeError } from '@cni/kube'
import { isObject } from '@cni/types'
import { meshPod, plainPod } from '../../../packages/istio-redirect/src/testing/pods.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'
import { create } from './chart-agent.ts'

const LABEL = 'cni.istio.io/uninitialized'
const podPath = (name: string): string => `/api/v1/namespaces/demo/pods/${name}`

/** Creates a random pod name, because tests must not use the same pod. */
export const podName = (): string => `web-${Math.random().toString(36).slice(2, 8)}`

/** Creates a pod in the namespace `demo`: with a sidecar, with the label of ambient mode, or with neither. */
export async function createPod(kube: KubeServer, name: string, kind: 'mesh' | 'ambient' | 'plain'): Promise<void> {
  const labels = kind === 'ambient' ? { 'istio.io/dataplane-mode': 'ambient' } : {}
  const pod = (kind === 'mesh' ? meshPod : plainPod)({ name, namespace: 'demo', labels })
  await create(kube, { ...pod, apiVersion: 'v1', kind: 'Pod', spec: { ...pod.spec, nodeName: 'n1' } })
}

/** Creates a pod with a sidecar whose init container `istio-validation` found no rules. */
export async function createBroken(kube: KubeServer, name: string): Promise<void> {
  await createPod(kube, name, 'mesh')
  const validation = {
    name: 'istio-validation',
    image: 'x',
    imageID: '',
    ready: false,
    restartCount: 1,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode: 126, reason: 'Error' } },
  }
  await patch(kube, `${name}/status`, { status: { initContainerStatuses: [validation] } })
}

/** Removes the label that the repair controller has set on a pod. */
export const unlabel = (kube: KubeServer, name: string): Promise<unknown> =>
  patch(kube, name, { metadata: { labels: { [LABEL]: null } } })

export const isLabelled = async (kube: KubeServer, name: string): Promise<boolean> => {
  const { labels } = await metadataOf(kube, name)
  return isObject(labels) && labels[LABEL] === 'true'
}

export const isEnrolled = async (kube: KubeServer, name: string): Promise<boolean> => {
  const { annotations } = await metadataOf(kube, name)
  return isObject(annotations) && annotations['ambient.istio.io/redirection'] === 'enabled'
}

export async function isDeleted(kube: KubeServer, name: string): Promise<boolean> {
  try {
    return (await metadataOf(kube, name)).deletionTimestamp !== undefined
  } catch (error) {
    return isKubeError(error) && error.status === 404
  }
}

// internal

async function metadataOf(kube: KubeServer, name: string): Promise<Readonly<Record<string, unknown>>> {
  const pod = await kube.admin.get(podPath(name), { signal: AbortSignal.timeout(5000) })
  return isObject(pod) && isObject(pod.metadata) ? pod.metadata : {}
}

const patch = (kube: KubeServer, name: string, document: object): Promise<unknown> =>
  kube.admin.send(
    { method: 'PATCH', path: podPath(name), body: { type: 'application/merge-patch+json', document } },
    { signal: AbortSignal.timeout(10_000) },
  )
