import { CniError, ErrorCode, isObject } from '@cni/types'
import { isPodIdentity, type PodIdentity } from '../pod/pod-identity.ts'
import type { DecisionSettings } from './decision-settings.ts'

/** The pod starts without redirection. */
export interface Skip {
  readonly act: 'skip'
  readonly level: 'debug' | 'info'
  readonly reason: string
}

/** The capability with which containerd passes the pod's annotations to a plugin. */
export const podAnnotationsKey = 'io.kubernetes.cri.pod-annotations'

/** The annotation of ambient mode: how far a pod is; on the node level also that its user wants it outside. */
export const redirectionAnnotation = 'ambient.istio.io/redirection'

/** The annotation of the sidecar injector. */
export const statusAnnotation = 'sidecar.istio.io/status'

/**
 * The first steps of the ladder, cheapest first. They come before the kubeconfig: neither the node agent's own pod nor
 * an excluded namespace may wait for an agent that is down. `ask`: only the API server can say what the pod is.
 */
export function decideWithoutApi({
  pod,
  podAnnotations,
  settings,
}: {
  /** From `CNI_ARGS`; absent unless both name and namespace are given. */
  readonly pod: PodIdentity | undefined
  /** The value of {@link podAnnotationsKey} in `runtimeConfig`; `undefined` when the runtime passes no annotations. */
  readonly podAnnotations: unknown
  readonly settings: DecisionSettings
}): Skip | { readonly act: 'ask'; readonly pod: PodIdentity } {
  if (pod === undefined) return skip('Not a kubernetes pod', 'debug')
  const { namespace, name } = pod
  if (name.startsWith('istio-cni-node-') && namespace === settings.agentNamespace) {
    return skip(`${podRef(pod)} looks like our own agent pod, skipping`)
  }
  if (settings.excludeNamespaces.includes(namespace)) return skip(`pod namespace ${namespace} excluded`)
  if (!isPodIdentity(pod)) {
    const details = `K8S_POD_NAMESPACE ${JSON.stringify(namespace)}, K8S_POD_NAME ${JSON.stringify(name)}`
    throw new CniError(ErrorCode.invalidEnvironment, 'CNI_ARGS: not the name of a Kubernetes pod', { details })
  }
  // With ambient mode labels decide, and those no runtime hands over.
  const mayBeAmbient = settings.ambientSelectors.length > 0
  if (!mayBeAmbient && isObject(podAnnotations) && !Object.hasOwn(podAnnotations, statusAnnotation)) {
    return skip('excluded due to not containing sidecar annotation')
  }
  return { act: 'ask', pod }
}

/** Why a pod is skipped. */
export const skip = (reason: string, level: Skip['level'] = 'info'): Skip => ({ act: 'skip', level, reason })

/** A pod in a message. */
export const podRef = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`
