import { cniErrorKey, ErrorCode } from '@cni/types'

/** Why the pod could not be read. */
export type KubeErrorCode =
  | 'NO_KUBECONFIG'
  | 'BAD_KUBECONFIG'
  | 'UNTRUSTED'
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'STATUS'
  | 'BAD_ANSWER'

/** What a {@link KubeError} may add to its message. */
export interface KubeErrorOptions {
  /** The HTTP status, with code `STATUS`. */
  readonly status?: number
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * A failed look at the Kubernetes API or at the kubeconfig that leads to it. The message names the server or the file
 * and never holds a credential.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly code: KubeErrorCode
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Found by the SDK anywhere in a cause chain. */
  readonly [cniErrorKey]: { readonly code: number }

  constructor(code: KubeErrorCode, message: string, options: KubeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this[cniErrorKey] = { code: cniCode(code, options.status) }
  }
}

/** What an agent that starts, or a server that recovers, can clear up is "try again later". */
function cniCode(code: KubeErrorCode, status: number | undefined): number {
  if (code === 'BAD_KUBECONFIG' || code === 'BAD_ANSWER') return ErrorCode.decodingFailure
  if (code === 'STATUS' && status !== 429 && status !== 404 && (status ?? 0) < 500) return ErrorCode.internal
  return ErrorCode.tryAgainLater
}
