/** Status object with which a Kubernetes API server reports an error. */
export type StatusDocument = {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: Readonly<Record<string, never>>
  readonly status: 'Failure'
  readonly message: string
  readonly reason: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly code: number
}

/** Answer of the test API server: an object, or a Status object for an error. */
export type Answer = StatusDocument | Readonly<Record<string, unknown>>

const failure = (code: number, reason: string, message: string, details?: Record<string, unknown>): StatusDocument => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details && { details }),
  code,
})

/** Creates the Status object for 404: the requested object does not exist. */
export const notFound = (kind: string, name: string): StatusDocument =>
  failure(404, 'NotFound', `${kind} "${name}" not found`, { name, kind })

/** Creates the Status object for 404: the API server does not have the requested path. */
export const unknownPath = (): StatusDocument =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {})

/** Creates the Status object for 401: the request has an invalid token. */
export const unauthorized = (): StatusDocument => failure(401, 'Unauthorized', 'Unauthorized')

/** Creates the Status object for 403: no credentials, or the user lacks the permission. */
export const forbidden = ({ verb, kind, namespace, name }: Asked, user = 'system:anonymous'): StatusDocument => {
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const group = kind === 'daemonsets' ? 'apps' : ''
  const what = `User "${user}" cannot ${verb} resource "${kind}" in API group "${group}" ${where}`
  const [plural = ''] = kind.split('/')
  const resource = group === '' ? plural : `${plural}.${group}`
  return failure(403, 'Forbidden', `${resource}${name === '' ? '' : ` "${name}"`} is forbidden: ${what}`, {
    ...(name !== '' && { name }),
    kind: resource,
  })
}

/** Creates the Status object for 409: another client has changed the object. */
export const conflict = (name: string, why: string): StatusDocument =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on pods "${name}": Precondition failed: ${why}`, {
    name,
    kind: 'pods',
  })

/** Creates the Status object for 410: the history does not reach back to the requested version. */
export const expired = (asked: number, oldest: number): StatusDocument =>
  failure(410, 'Expired', `too old resource version: ${asked} (${oldest})`)

/** Verb and object of a request, for the permission check and its error. */
export interface Asked {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete'
  readonly kind: 'pods' | 'pods/status' | 'namespaces' | 'events' | 'daemonsets' | 'nodes' | 'serviceaccounts/token'
  /** Namespace of the requested objects; empty for all namespaces. */
  readonly namespace: string
  readonly name: string
}

/** Creates the Status object for another requested error: 429, 500, 503 and so on. */
export const otherFailure = (code: number): StatusDocument => {
  const [reason, message] = reasons[code] ?? ['InternalError', `the server answered ${code}`]
  return failure(code, reason, message)
}

const reasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: injected by the test'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted'],
}
