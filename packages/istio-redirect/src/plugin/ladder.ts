import { CniError, ErrorCode, isObject } from '@cni/types'
import { isPodIdentity, type PodIdentity } from '../kube/pod.ts'
import type { PodInfo } from '../redirect/pod-info.ts'
import { capturesNothing } from '../redirect/redirect.ts'
import type { Settings } from './settings.ts'

/** The pod starts without redirection. */
export interface Skip {
  readonly act: 'skip'
  readonly level: 'debug' | 'info'
  readonly reason: string
}

/** The API server has to say what the pod is. */
export interface Ask {
  readonly act: 'ask'
  readonly pod: PodIdentity
}

/** What {@link beforeAsking} decides by: all of it is known without reading a file or asking the API server. */
export interface BeforeAskingOptions {
  /** From `CNI_ARGS`; absent unless both name and namespace are given. */
  readonly pod: PodIdentity | undefined
  /** The value of {@link podAnnotationsKey} in `runtimeConfig`; `undefined` when the runtime passes no annotations. */
  readonly podAnnotations: unknown
  readonly settings: Settings
}

/** The capability with which containerd passes the pod's annotations to a plugin. */
export const podAnnotationsKey = 'io.kubernetes.cri.pod-annotations'

const statusAnnotation = 'sidecar.istio.io/status'
const injectKey = 'sidecar.istio.io/inject'

/**
 * The first steps of the ladder, cheapest first. They come before the kubeconfig: neither the node agent's own pod nor
 * an excluded namespace may wait for an agent that is down.
 */
export function beforeAsking({ pod, podAnnotations, settings }: BeforeAskingOptions): Skip | Ask {
  if (pod === undefined) return skip('Not a kubernetes pod', 'debug')
  const { namespace, name } = pod
  if (name.startsWith('istio-cni-node-') && namespace === settings.agentNamespace) {
    return skip(`${quoted(pod)} looks like our own agent pod, skipping`)
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

/** Whether only the selectors of ambient mode can tell what this pod is; a pod with a sidecar never is ambient. */
export const maybeAmbient = (pod: PodInfo, settings: Settings): boolean =>
  settings.ambientSelectors.length > 0 && !pod.hostNetwork && !Object.hasOwn(pod.annotations, statusAnnotation)

/** The rest of the ladder: why this pod has no sidecar to redirect to, or `undefined` when it has one. */
export function withoutSidecar(pod: PodInfo): Skip | undefined {
  const { containers, proxyEnv, proxyType, annotations } = pod
  if (pod.hostNetwork) return skip('excluded due to using the network of the host')
  if (containers.has('istio-init')) return skip('excluded due to being already injected with istio-init container')
  if (goBool(own(proxyEnv, 'DISABLE_ENVOY')) === true) return skip('excluded due to DISABLE_ENVOY on istio-proxy')
  if (!containers.has('istio-proxy')) {
    return skip(`excluded because it does not have istio-proxy container (have [${[...containers].sort().join(' ')}])`)
  }
  // An empty type counts as none given, as in Istio.
  if (proxyType !== undefined && proxyType !== '' && proxyType !== 'sidecar') {
    return skip(`excluded ${quoted(pod)} pod because it has proxy type ${JSON.stringify(proxyType)}`)
  }
  // The label replaces the annotation even when it is empty.
  const inject = own(pod.labels, injectKey) ?? own(annotations, injectKey)
  if (goBool(inject) === false) return skip('excluded due to inject-disabled annotation')
  if (!Object.hasOwn(annotations, statusAnnotation)) return skip('excluded due to not containing sidecar annotation')
  if (capturesNothing(pod)) return skip('excluded due to interceptionMode NONE')
  return undefined
}

const skip = (reason: string, level: Skip['level'] = 'info'): Skip => ({ act: 'skip', level, reason })

const quoted = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Go's strconv.ParseBool; anything else says nothing. */
function goBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined
}
