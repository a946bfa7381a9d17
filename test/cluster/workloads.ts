import { kubectl, onNode, type Pod, shell, until } from './cluster.ts'

/** Image of every test container, with a server, a reporting proxy and Istio's validation. */
const IMAGE = 'registry.local/app:1'
const PROXY_UID = 1337

export const NAMESPACE = 'default'

export interface Workload {
  readonly name: string
  /**
   * Kind of the pod's sidecar. `native`: an init container. `ordinary`: a container. Default: a pod outside the mesh.
   */
  readonly sidecar?: 'native' | 'ordinary'
  /** True if the pod has the annotation of Istio's injector. Default: true for a pod with a sidecar. */
  readonly annotated?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly hostPort?: number
  /** True if Istio's validation runs as the pod's first init container. */
  readonly validated?: boolean
}

/** Creates a test pod. Adds those members of Istio's injector that the tests need. */
export function workload(options: Workload) {
  const { name, sidecar, annotated = sidecar !== undefined, labels = {}, hostPort, validated = true } = options
  const proxyProbe = { httpGet: { path: '/healthz/ready', port: 15_021 }, periodSeconds: 1 }
  const proxy = {
    name: 'istio-proxy',
    image: IMAGE,
    args: ['proxy'],
    securityContext: { runAsUser: PROXY_UID, runAsGroup: PROXY_UID },
    readinessProbe: proxyProbe,
  }
  const app = {
    name: 'app',
    image: IMAGE,
    args: ['serve', '8080'],
    ports: [{ containerPort: 8080, ...(hostPort === undefined ? {} : { hostPort }) }],
    readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 },
  }
  const validation = {
    name: 'istio-validation',
    image: IMAGE,
    args: ['validate'],
    securityContext: { runAsUser: PROXY_UID, runAsGroup: PROXY_UID },
  }
  const native = { ...proxy, restartPolicy: 'Always', startupProbe: { ...proxyProbe, failureThreshold: 60 } }
  const before =
    sidecar === undefined ? [] : [...(validated ? [validation] : []), ...(sidecar === 'native' ? [native] : [])]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels,
      annotations: annotated ? { 'sidecar.istio.io/status': '{"containers":["istio-proxy"]}' } : {},
    },
    spec: {
      terminationGracePeriodSeconds: 1,
      initContainers: before,
      containers: [...(sidecar === 'ordinary' ? [proxy] : []), app],
    },
  }
}

/** Sends a request from a pod to another pod's server, and returns the answer. */
export const get = (from: string, url: string): Promise<string> =>
  kubectl(['exec', '-n', NAMESPACE, from, '-c', 'app', '--', 'tester', 'get', url])

export const proxyLog = (name: string): Promise<string> => kubectl(['logs', '-n', NAMESPACE, name, '-c', 'istio-proxy'])

/** Returns the process ID of a pod's application on the node. */
export async function pidOf(one: Pod): Promise<string> {
  const id = one.status.containerStatuses?.find(({ name }) => name === 'app')?.containerID?.replace('containerd://', '')
  if (id === undefined) throw new Error(`${one.metadata.name} has no container yet`)
  return (await shell(`ctr -n k8s.io tasks ls | awk -v id=${id} '$1 == id { print $2 }'`)).trim()
}

/** Reads the IPv4 and IPv6 rules in a pod with the node's iptables programs. */
export async function rulesIn(one: Pod): Promise<string> {
  const enter = `nsenter -t ${await pidOf(one)} -n`
  const text = await shell(`${enter} iptables-save -t nat; ${enter} ip6tables-save -t nat`)
  return text.replaceAll(/^#.*\n/gm, '')
}

/** Deletes pods by label, and waits until the API server has deleted them. */
export async function remove(selector: string): Promise<void> {
  // Polls until the pods are deleted, because `kubectl delete --wait` may notice the end of the pods late.
  await kubectl(['delete', 'pods', '-n', NAMESPACE, '-l', selector, '--now', '--wait=false', '--ignore-not-found'])
  await until(
    `pods ${selector} are gone`,
    async () => (await kubectl(['get', 'pods', '-n', NAMESPACE, '-l', selector, '-o', 'name'])) === '',
  )
}

/** Sends a request from the node to a pod's host port, and returns the answer. */
export const fromNode = (url: string): Promise<string> => onNode(['curl', '-sSf', '-m', '5', url])
