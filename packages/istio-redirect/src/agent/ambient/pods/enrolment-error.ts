/**
 * Code of an {@link EnrolmentError}:
 *
 * - `IMPOSSIBLE`: the pod's namespace or rules failed, and the same attempt would fail again.
 * - `UNACKNOWLEDGED`: ztunnel did not accept the pod. The pod's rules are installed, and the agent retries.
 * - `INCOMPLETE`: the node's sets or the annotation could not be written. The agent retries.
 */
export type EnrolmentErrorCode = 'IMPOSSIBLE' | 'UNACKNOWLEDGED' | 'INCOMPLETE'

/** Error of an attempt to enrol a pod in the mesh. Some steps of the attempt may have succeeded. */
export class EnrolmentError extends Error {
  readonly code: EnrolmentErrorCode

  constructor(code: EnrolmentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    EnrolmentError.prototype.name = 'EnrolmentError'
  }
}
