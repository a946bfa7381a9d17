import { isObject } from '@cni/types'
import type { Manifest } from '../../../packages/istio-redirect/test/chart/manifest.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'

/** Sends a request to the API server as the administrator. The document of a PATCH is a JSON merge patch. */
export function send(
  { admin }: KubeServer,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  document?: object,
): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const body = document && { body: { type, document } }
  return admin.send({ method, path, ...body }, { signal: AbortSignal.timeout(10_000) })
}

/** Creates an object in the API server. */
export const create = (kube: KubeServer, object: Manifest): Promise<unknown> =>
  send(kube, 'POST', pathOf(object), object)

/** Returns the API path of the collection that contains an object. */
export function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies')
  return `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`
}

/** Lists the Kubernetes events in a namespace, as `reason: message`. */
export async function eventsIn(kube: KubeServer, namespace: string): Promise<string[]> {
  const answer = await send(kube, 'GET', `/api/v1/namespaces/${namespace}/events`)
  const items = isObject(answer) && Array.isArray(answer.items) ? answer.items : []
  return items.map(({ reason, message }) => `${reason}: ${message}`)
}
