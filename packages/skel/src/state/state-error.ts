import { cniErrorKey, ErrorCode } from '@cni/types'

const brand = Symbol.for('cni.StateError')

const UNUSABLE: readonly string[] = ['INVALID', 'VERSION', 'OTHER_ATTACHMENT', 'TOO_LARGE', 'NOT_A_FILE', 'INSECURE']

/** Error for an unusable state file (code 6) or an inaccessible one (5). */
export class StateError extends Error {
  /**
   * Kind of the state file's error:
   * - `INVALID`, `VERSION`, `OTHER_ATTACHMENT`, `TOO_LARGE`: the content of the state file is unusable.
   * - `NOT_A_FILE`: the path is not a regular file.
   * - `INSECURE`: other users can change the state file or its folder.
   * - an errno name: error of the kernel.
   */
  readonly code: 'INVALID' | 'VERSION' | 'OTHER_ATTACHMENT' | 'TOO_LARGE' | 'NOT_A_FILE' | 'INSECURE' | (string & {})
  /** Path of the state file. */
  readonly path: string
  /** Advice to the user about the state file. */
  readonly hint: string
  /** @internal */
  readonly [brand] = true

  constructor(
    code: StateError['code'],
    path: string,
    problem: string,
    { hint = HINT, ...options }: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(`state file ${path}: ${problem}`, options)
    this.code = code
    this.path = path
    this.hint = hint
  }

  /** @internal */
  get [cniErrorKey](): { readonly code: number; readonly details?: string | undefined } {
    const code = UNUSABLE.includes(this.code) ? ErrorCode.decodingFailure : ErrorCode.ioFailure
    return { code, details: this.hint }
  }
}
StateError.prototype.name = 'StateError'

/** True for a {@link StateError}, also from another copy of this package. */
export function isStateError(error: unknown): error is StateError {
  return error instanceof Error && brand in error
}

const HINT = 'DEL goes on without it and removes it; ADD writes it anew'
