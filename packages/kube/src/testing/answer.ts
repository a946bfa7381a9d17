import type { Grant } from './grant.ts'
import type { ObjectStore, StoredNamespace, StoredObject } from './object-store.ts'
import { chosen } from './selectors.ts'
import type { ServiceAccounts } from './service-accounts.ts'
import { type Answer, type Asked, conflict, forbidden, notFound, unauthorized, unknownPath } from './status.ts'
import type { StoredPod } from './stored-pod.ts'

/** State of the test API server. */
export interface World {
  readonly token: string
  readonly pods: ObjectStore<StoredPod>
  readonly namespaces: ObjectStore<StoredNamespace>
  /** Events that clients have written, by `namespace/name`. */
  readonly events: Map<string, Answer>
  /** DaemonSets of the test API server, by `namespace/name`. */
  readonly daemonSets: ReadonlyMap<string, Answer>
  /** Node objects of the test API server, by name. */
  readonly nodes: ReadonlyMap<string, Answer>
  readonly serviceAccounts: ServiceAccounts
  /** Further permissions of the token. The token may always get single pods and namespaces. */
  readonly grants: ReadonlySet<Grant>
}

/** HTTP request that the test API server has received. */
export interface Request {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly body: string
}

/** Store of the test API server (for pods or for namespaces) whose changes a client can watch. */
export type Watched = ObjectStore<StoredPod> | ObjectStore<StoredNamespace>

/** Computes the test API server's answer. For a watch, returns the watched store. */
export function answer(request: Request, world: World): readonly [number, Answer] | Watched {
  const asked = parsePath(request)
  const { authorization } = request
  const plugin = world.serviceAccounts.holderOf(authorization?.replace(/^Bearer /, ''))
  if (authorization !== undefined && authorization !== `Bearer ${world.token}` && plugin === undefined) {
    return [401, unauthorized()]
  }
  if (asked === undefined) return [404, unknownPath()]
  if (authorization === undefined) return [403, forbidden(asked)]
  const isGranted = plugin === undefined && world.grants.has(`${asked.verb} ${asked.kind}` as Grant)
  if (!isGranted && !(asked.verb === 'get' && (asked.kind === 'pods' || asked.kind === 'namespaces'))) {
    return [403, forbidden(asked, `system:serviceaccount:${plugin ?? 'istio-system:istio-cni'}`)]
  }
  if (asked.kind === 'serviceaccounts/token') return world.serviceAccounts.request(asked, request.body)
  if (asked.kind === 'daemonsets') return daemonSet(asked, world)
  if (asked.kind === 'nodes') return node(asked, world)
  if (asked.kind === 'events') return event(asked, request.body, world)
  const watched = asked.kind === 'namespaces' ? world.namespaces : world.pods
  if (asked.verb === 'watch') return watched
  if (asked.verb === 'list') return [200, list<StoredObject>(watched, new URL(request.url, server).searchParams)]
  if (asked.kind === 'namespaces') return namespace(asked, world)
  return onePod(asked, request.body, world.pods)
}

const server = 'https://server'

const otherPaths =
  /^(?:\/apis\/apps\/v1\/namespaces\/(?<apps>[^/]+)\/(?<daemonsets>daemonsets)\/|\/api\/v1\/namespaces\/(?<core>[^/]+)\/(?<accounts>serviceaccounts)\/|\/api\/v1\/nodes\/)(?<name>[^/]+)(?<token>\/token)?$/

const paths =
  /^\/api\/v1\/(?:(?<all>pods|namespaces)|namespaces\/(?<namespace>[^/]+)(?:\/(?<kind>pods|events)(?:\/(?<name>[^/]+)(?<status>\/status)?)?)?)$/

const verbs: Readonly<Record<string, Asked['verb']>> = { GET: 'get', POST: 'create', PATCH: 'patch', DELETE: 'delete' }

/** Parses the API path of a DaemonSet, a node, or a service account's token. */
function parseOtherPath(pathname: string, verb: Asked['verb']): Asked | undefined {
  const found = otherPaths.exec(pathname)?.groups
  if (found === undefined) return undefined
  const [namespace = '', name = ''] = [found.apps ?? found.core, found.name].map(
    (part) => part && decodeURIComponent(part),
  )
  const kind = found.daemonsets ? 'daemonsets' : found.accounts ? 'serviceaccounts/token' : 'nodes'
  const fits = kind === 'serviceaccounts/token' ? found.token !== undefined && verb === 'create' : verb === 'get'
  return fits ? { verb, kind, namespace, name } : undefined
}

/** Parses an API path. Returns `undefined` if the test API server has no such resource. */
function parsePath({ method, url }: Request): Asked | undefined {
  const { pathname, searchParams } = new URL(url, server)
  const found = paths.exec(pathname)?.groups
  const verb = verbs[method]
  if (verb === undefined) return undefined
  if (found === undefined) return parseOtherPath(pathname, verb)
  const [namespaceName = '', name = ''] = [found.namespace, found.name].map((part) => part && decodeURIComponent(part))
  if (found.all !== undefined || (found.kind === 'pods' && name === '')) {
    return {
      verb: searchParams.get('watch') === 'true' ? 'watch' : 'list',
      kind: found.all === 'namespaces' ? 'namespaces' : 'pods',
      namespace: namespaceName,
      name,
    }
  }
  if (found.kind === undefined) return { verb, kind: 'namespaces', namespace: namespaceName, name: namespaceName }
  const kind = found.kind === 'events' ? 'events' : found.status === undefined ? 'pods' : 'pods/status'
  return { verb, kind, namespace: namespaceName, name }
}

function namespace({ name }: Asked, { namespaces }: World): readonly [number, Answer] {
  const known = namespaces.get('', name)
  return known === undefined ? [404, notFound('namespaces', name)] : [200, { ...known }]
}

function daemonSet({ namespace: inside, name }: Asked, { daemonSets }: World): readonly [number, Answer] {
  const known = daemonSets.get(`${inside}/${name}`)
  return known === undefined ? [404, notFound('daemonsets.apps', name)] : [200, known]
}

function node({ name }: Asked, { nodes }: World): readonly [number, Answer] {
  const known = nodes.get(name)
  return known === undefined ? [404, notFound('nodes', name)] : [200, known]
}

/** Lists objects in pages. `resourceVersion=0` means all objects, as from a real server's cache. */
function list<T extends StoredObject>(
  { kind, version, all }: Pick<ObjectStore<T>, 'kind' | 'version' | 'all'>,
  query: URLSearchParams,
): Answer {
  const items = all().filter((object) => chosen(object, query))
  const from = Number(query.get('continue') ?? 0)
  const limit = query.get('resourceVersion') === '0' ? items.length : Number(query.get('limit') ?? items.length)
  const next = from + limit < items.length ? { continue: String(from + limit) } : {}
  return {
    kind: `${kind}List`,
    apiVersion: 'v1',
    metadata: { resourceVersion: String(version()), ...next },
    items: items.slice(from, from + limit),
  }
}

function onePod(
  { verb, namespace: inside, name }: Asked,
  body: string,
  pods: ObjectStore<StoredPod>,
): readonly [number, Answer] {
  const pod = pods.get(inside, name)
  if (pod === undefined) return [404, notFound('pods', name)]
  if (verb === 'delete') {
    const { uid, resourceVersion } = (body === '' ? {} : JSON.parse(body)).preconditions ?? {}
    for (const [what, wanted] of Object.entries({ UID: uid, ResourceVersion: resourceVersion })) {
      const has = pod.metadata[what === 'UID' ? 'uid' : 'resourceVersion']
      if (wanted !== undefined && wanted !== has)
        return [409, conflict(name, `${what} in precondition: ${wanted}, ${what} in object meta: ${has}`)]
    }
    return [200, pods.delete(inside, name) ?? pod]
  }
  if (verb === 'patch') return [200, pods.set(merge(pod, JSON.parse(body)) as StoredPod)]
  return [200, pod]
}

function event({ verb, namespace: inside, name }: Asked, body: string, { events }: World): readonly [number, Answer] {
  const document = body === '' ? {} : JSON.parse(body)
  if (verb === 'create') {
    events.set(`${inside}/${document.metadata?.name}`, document)
    return [201, document]
  }
  const before = events.get(`${inside}/${name}`)
  if (before === undefined) return [404, notFound('events', name)]
  const after = merge(before, document) as Answer
  events.set(`${inside}/${name}`, after)
  return [200, after]
}

/** Applies a JSON merge patch (RFC 7396) to an object. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = merge(merged[key], value)
  }
  return merged
}
