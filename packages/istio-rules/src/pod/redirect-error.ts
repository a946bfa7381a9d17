import { cniErrorKey, ErrorCode, messageOf, quote } from '@cni/types'

const brand = Symbol.for('cni.RedirectError')

/** A pod asks for a redirection that cannot be carried out; names the key, the value and the pod. CNI code 7. */
export class RedirectError extends Error {
  static {
    RedirectError.prototype.name = 'RedirectError'
  }

  readonly key: string
  readonly value: string
  readonly owner: string
  readonly [brand] = true
  readonly [cniErrorKey] = { code: ErrorCode.invalidNetworkConfig }

  /**
   * @param source - where the value was found; `owner` is a pod as `namespace/name`, or what else has the value
   */
  constructor(
    source: {
      readonly kind: 'annotation' | 'environment variable' | 'securityContext'
      readonly key: string
      readonly value: string
      readonly owner: string
    },
    problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${source.kind} ${source.key} of ${source.owner} is ${quote(source.value)}: ${problem}`, options)
    this.key = source.key
    this.value = source.value
    this.owner = source.owner
  }
}

/** Where a value that cannot be turned into rules was found. */
export type RedirectSource = ConstructorParameters<typeof RedirectError>[0]

/** Is it a {@link RedirectError}, also one of another copy of this package? */
export function isRedirectError(error: unknown): error is RedirectError {
  return error instanceof Error && brand in error
}

/** Parse a found value; what the parser throws becomes a {@link RedirectError} that says where it was found. */
export function parseFrom<T>(source: RedirectSource, parse: (value: string) => T): T {
  try {
    return parse(source.value)
  } catch (cause) {
    throw new RedirectError(source, messageOf(cause), { cause })
  }
}
