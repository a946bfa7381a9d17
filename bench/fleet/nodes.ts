import type { KubeClient } from '@cni/kube'

/** Namespace and name of the agents' service account. */
const ACCOUNT = { namespace: 'istio-system', name: 'istio-cni' } as const
/** Name of the API server's user that all agents of the fleet authenticate as. */
export const USER = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`
export const PLUGIN_ACCOUNT = 'istio-cni-plugin'

export const nodeName = (index: number): string => `node-${index}`

const AT_ONCE = 16

/** Creates the API objects of the fleet. `pods` is the number of pods per node. */
export async function makeNodes(admin: KubeClient, nodes: number, pods: number): Promise<void> {
  const post = (path: string, document: object): Promise<unknown> =>
    admin.send(
      { method: 'POST', path, body: { type: 'application/json', document }, timeoutMs: 60_000 },
      { signal: AbortSignal.timeout(60_000) },
    )
  for (const name of [ACCOUNT.namespace, 'fleet']) await post('/api/v1/namespaces', { metadata: { name } })
  for (const name of [ACCOUNT.name, PLUGIN_ACCOUNT]) {
    await post(`/api/v1/namespaces/${ACCOUNT.namespace}/serviceaccounts`, { metadata: { name } })
  }
  await post(`/apis/apps/v1/namespaces/${ACCOUNT.namespace}/daemonsets`, daemonSet)
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < nodes * pods) {
      const index = next
      next += 1
      await post('/api/v1/namespaces/fleet/pods', podOf(index, nodeName(index % nodes)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const labels = { 'k8s-app': 'istio-cni-node' }

const daemonSet = {
  metadata: { name: 'istio-cni-node' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'install-cni', image: 'localhost/install-cni' }] } },
  },
}

/** Creates the API object of a pod in the mesh, with the size of a typical pod object. */
const podOf = (index: number, node: string): object => ({
  metadata: {
    name: `pod-${index}`,
    labels: { app: 'web', 'service.istio.io/canonical-name': 'web' },
    annotations: { 'sidecar.istio.io/status': JSON.stringify({ initContainers: ['istio-validation'] }) },
  },
  spec: {
    nodeName: node,
    containers: ['app', 'istio-proxy'].map((name) => ({
      name,
      image: 'localhost/app',
      env: Array.from({ length: 20 }, (_, at) => ({ name: `SETTING_${at}`, value: `the value of setting ${at}` })),
    })),
  },
})
