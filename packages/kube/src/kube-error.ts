import { cniErrorKey, ErrorCode } from '@cni/types'

const brand = Symbol.for('cni.KubeError')

/**
 * A failed request to the Kubernetes API, or an invalid kubeconfig. The message names the server or the file, and never
 * contains a credential.
 */
export class KubeError extends Error {
  static {
    KubeError.prototype.name = 'KubeError'
  }

  /** Kind of the error, such as a timeout or an untrusted server. */
  readonly code:
    | 'NO_KUBECONFIG'
    | 'BAD_KUBECONFIG'
    | 'UNTRUSTED'
    | 'NO_SANDBOX'
    | 'NETWORK'
    | 'TIMEOUT'
    | 'ABORTED'
    | 'STATUS'
    | 'BAD_ANSWER'
  /** HTTP status of the API server's answer. Defined only if the error's `code` is `STATUS`. */
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Error message that the API server sent, with control characters removed. */
  readonly said: string | undefined
  readonly [brand] = true
  /** CNI error code and details, which the SDK also finds in a `cause`. */
  readonly [cniErrorKey]: { readonly code: number; readonly details?: string }

  constructor(
    code: KubeError['code'],
    message: string,
    options: {
      readonly status?: number
      readonly retryAfterMs?: number | undefined
      readonly said?: string | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.said = options.said
    const hint = hints[code === 'STATUS' ? `STATUS ${options.status}` : code]
    this[cniErrorKey] = { code: cniCode(code, options.status), ...(hint !== undefined && { details: hint }) }
  }
}

/** True for a {@link KubeError}, also from another copy of this package. */
export function isKubeError(error: unknown): error is KubeError {
  return error instanceof Error && brand in error
}

/** Returns the CNI error code for a `KubeError`. Only errors that may disappear permit a retry. */
function cniCode(code: KubeError['code'], status = 0): number {
  if (code === 'NO_SANDBOX') return ErrorCode.pluginNotAvailable
  if (code === 'BAD_KUBECONFIG' || code === 'BAD_ANSWER') return ErrorCode.decodingFailure
  if (code !== 'STATUS' || status === 401 || status === 404 || status === 429 || status >= 500) {
    return ErrorCode.tryAgainLater
  }
  return ErrorCode.pluginNotAvailable
}

const hints: Readonly<Record<string, string>> = {
  UNTRUSTED: 'the node agent writes the authority of the API server into the kubeconfig: is it up to date?',
  NO_SANDBOX:
    'the plugin asks the API server only from a process without rights: seccomp and user ids have to work here',
  'STATUS 401': 'the node agent renews the token in the kubeconfig: is it (install-cni) running on this node?',
  'STATUS 403': 'the service account of the node agent needs "get" on pods, and with ambient mode on namespaces',
}
