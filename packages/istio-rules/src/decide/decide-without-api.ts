import { CniError, ErrorCode, isObject } from '@cni/types'
import { isPodIdentity, type PodIdentity, podRef } from '../pod/pod-identity.ts'
import type { DecisionSettings } from './decision-settings.ts'

/** Decision to start a pod without redirection. Contains the reason and the level for the log. */
export interface Skip {
  readonly act: 'skip'
  readonly level: 'debug' | 'info'
  readonly reason: string
}

/** Capability by which containerd passes the pod's annotations to a plugin. */
export const podAnnotationsKey = 'io.kubernetes.cri.pod-annotations'

/**
 * Annotation with the redirection state of a pod in ambient mode. `disabled` excludes the pod only if the redirection
 * rules are in the node's namespace.
 */
export const redirectionAnnotation = 'ambient.istio.io/redirection'

/** Status annotation that the sidecar injector sets on a pod. */
export const statusAnnotation = 'sidecar.istio.io/status'

/**
 * Decides without the API server if a pod starts without redirection. Returns `ask` if only the API server can decide.
 * Call this function first, because the agent's own pod cannot wait for the agent.
 */
export function decideWithoutApi({
  pod,
  podAnnotations,
  settings,
}: {
  /** Pod that the runtime names in `CNI_ARGS`. `undefined` if its name or its namespace is missing. */
  readonly pod: PodIdentity | undefined
  /** Value of {@link podAnnotationsKey} in `runtimeConfig`. `undefined` if the runtime passes no annotations. */
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
  // In ambient mode, the pod's labels decide, and only the API server reports labels.
  const mayBeAmbient = settings.ambientSelectors.length > 0
  if (!mayBeAmbient && isObject(podAnnotations) && !Object.hasOwn(podAnnotations, statusAnnotation)) {
    return skip('excluded due to not containing sidecar annotation')
  }
  return { act: 'ask', pod }
}

/** Creates a decision to skip a pod, with its reason. */
export const skip = (reason: string, level: Skip['level'] = 'info'): Skip => ({ act: 'skip', level, reason })
