/** The document a Kubernetes API server answers with when it has no object to show. */
export interface StatusDocument {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: Readonly<Record<string, never>>
  readonly status: 'Failure'
  readonly message: string
  readonly reason: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly code: number
}

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

/** No such object. */
export const notFound = (kind: 'pods' | 'namespaces', name: string): StatusDocument =>
  failure(404, 'NotFound', `${kind} "${name}" not found`, { name, kind })

/** No such path. */
export const unknownPath = (): StatusDocument =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {})

/** A token was sent, and it is not a valid one. */
export const unauthorized = (): StatusDocument => failure(401, 'Unauthorized', 'Unauthorized')

/** Nobody said who is asking, or that user may not. */
export const forbidden = (
  verb: string,
  { kind, namespace, name }: Asked,
  user = 'system:anonymous',
): StatusDocument => {
  const what = `User "${user}" cannot ${verb} resource "${kind}" in API group "" in the namespace "${namespace}"`
  return failure(403, 'Forbidden', `${kind} "${name}" is forbidden: ${what}`, { name, kind })
}

/** The object of a request. */
export interface Asked {
  readonly kind: 'pods' | 'namespaces'
  readonly namespace: string
  readonly name: string
}

/** Anything else a test asks for: 429, 500, 503 … */
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
