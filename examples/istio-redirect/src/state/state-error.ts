import { cniErrorKey, ErrorCode } from '@cni/types'

/** A state file that exists and says nothing usable. CNI code 6. */
export class StateError extends Error {
  static {
    StateError.prototype.name = 'StateError'
  }

  readonly path: string
  readonly [cniErrorKey] = { code: ErrorCode.decodingFailure }

  constructor(path: string, problem: string, options?: { cause?: unknown }) {
    super(`state file ${path}: ${problem}`, options)
    this.path = path
  }
}
