import { cniErrorKey, ErrorCode, messageOf, quote } from '@cni/types'

const brand = Symbol.for('cni.RedirectError')

/**
 * Error for an invalid value in a pod's redirection settings. The message contains the key, the value and the pod. CNI
 * error code 7.
 */
export class RedirectError extends Error {
  static {
    RedirectError.prototype.name = 'RedirectError'
  }

  readonly key: string
  readonly value: string
  readonly owner: string
  readonly [brand] = true
  readonly [cniErrorKey] = { code: ErrorCode.invalidNetworkConfig }

  /** @param source - source of the invalid value; `owner` names a pod, or another owner such as `this node` */
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

/** Source of an invalid value: annotation, variable or securityContext, with key, value and owner. */
export type RedirectSource = ConstructorParameters<typeof RedirectError>[0]

/** True for a {@link RedirectError}, also if another installed copy of the package created the error. */
export function isRedirectError(error: unknown): error is RedirectError {
  return error instanceof Error && brand in error
}

/** Parses a value of a pod. Errors become a {@link RedirectError} that names the source. */
export function parseFrom<T>(source: RedirectSource, parse: (value: string) => T): T {
  try {
    return parse(source.value)
  } catch (cause) {
    throw new RedirectError(source, messageOf(cause), { cause })
  }
}
