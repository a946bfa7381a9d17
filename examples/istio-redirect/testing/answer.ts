import type { IncomingMessage } from 'node:http'
import type { StoredPod } from './pods.ts'
import { type Asked, forbidden, notFound, type StatusDocument, unauthorized, unknownPath } from './status.ts'

/** An object, or the reason why there is none. */
export type Answer = StatusDocument | Readonly<Record<string, unknown>>

/** What the server knows. */
export interface World {
  readonly token: string
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, StoredPod>
  /** Labels by name. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** The ordinary answer to a request: who asks comes before what is asked for. */
export function answer(request: IncomingMessage, { token, pods, namespaces }: World): readonly [number, Answer] {
  const asked = parsePath(request.url ?? '/')
  const credential = request.headers.authorization
  if (credential !== undefined && credential !== `Bearer ${token}`) return [401, unauthorized()]
  if (asked === undefined) return [404, unknownPath()]
  if (credential === undefined) return [403, forbidden('get', asked)]
  if (request.method !== 'GET') {
    return [403, forbidden((request.method ?? '').toLowerCase(), asked, 'system:serviceaccount:istio-system:istio-cni')]
  }
  const { kind, namespace, name } = asked
  if (kind === 'pods') {
    const pod = pods.get(`${namespace}/${name}`)
    return pod ? [200, pod] : [404, notFound(kind, name)]
  }
  const known = namespaces.has(name) || [...pods.values()].some((pod) => pod.metadata.namespace === name)
  if (!known) return [404, notFound(kind, name)]
  return [200, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: namespaces.get(name) ?? {} } }]
}

/** Nothing but single pods and namespaces is served. */
function parsePath(url: string): Asked | undefined {
  const { pathname } = new URL(url, 'https://server')
  const [, namespace, name] = /^\/api\/v1\/namespaces\/([^/]+)(?:\/pods\/([^/]+))?$/.exec(pathname) ?? []
  if (namespace === undefined) return undefined
  const inNamespace = decodeURIComponent(namespace)
  if (name === undefined) return { kind: 'namespaces', namespace: inNamespace, name: inNamespace }
  return { kind: 'pods', namespace: inNamespace, name: decodeURIComponent(name) }
}
