import { CniError, ErrorCode, isObject } from '@cni/types'
import { isPodIdentity, type PodIdentity } from '../pod/pod-identity.ts'
import type { DecisionSettings } from './decision-settings.ts'

/** Decision that the plugin starts a pod without redirection, with the reason for the log. */
export interface Skip {
  readonly act: 'skip'
  readonly level: 'debug' | 'info'
  readonly reason: string
}

/** Capability by which containerd passes the pod's annotations to a plugin. */
export const podAnnotationsKey = 'io.kubernetes.cri.pod-annotations'

/**
 * Annotation with the redirection state of a pod in ambient mode. With redirection on the node instead of in pods,
 * users also set the annotation to exclude a pod.
 */
export const redirectionAnnotation = 'ambient.istio.io/redirection'

/** Status annotation that the sidecar injector sets on a pod. */
export const statusAnnotation = 'sidecar.istio.io/status'

/**
 * Decides about a pod as far as possible without the API server, cheapest check first. Runs before the kubeconfig is
 * read: the node agent's own pod and excluded namespaces must not wait for the agent. Returns `ask` if the API server
 * has to be asked.
 */
export function decideWithoutApi({
  pod,
  podAnnotations,
  settings,
}: {
  /** Pod that the runtime names in `CNI_ARGS`. Absent unless both name and namespace are given. */
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
  // Labels decide about ambient mode, and runtimes do not pass labels: ask the API server if the pod may be ambient.
  const mayBeAmbient = settings.ambientSelectors.length > 0
  if (!mayBeAmbient && isObject(podAnnotations) && !Object.hasOwn(podAnnotations, statusAnnotation)) {
    return skip('excluded due to not containing sidecar annotation')
  }
  return { act: 'ask', pod }
}

/** Creates a decision to skip a pod, with its reason. */
export const skip = (reason: string, level: Skip['level'] = 'info'): Skip => ({ act: 'skip', level, reason })

/** Name of a pod for log and error messages. */
export const podRef = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`
