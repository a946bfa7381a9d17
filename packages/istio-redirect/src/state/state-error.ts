import { cniErrorKey, ErrorCode } from '@cni/types'

/** A state file that exists and says nothing usable, CNI code 6, or that cannot be read, written or removed, CNI code 5. */
export class StateError extends Error {
  static {
    StateError.prototype.name = 'StateError'
  }

  readonly path: string
  readonly [cniErrorKey]: { readonly code: number }

  constructor(path: string, problem: string, options: { code?: number; cause?: unknown } = {}) {
    super(`state file ${path}: ${problem}`, 'cause' in options ? { cause: options.cause } : undefined)
    this.path = path
    this[cniErrorKey] = { code: options.code ?? ErrorCode.decodingFailure }
  }
}
