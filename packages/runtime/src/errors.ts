/** Adds a `code` to an error and to its stack, as Node and V8 do. */
export function coded<E extends Error>(error: E, code: string): E & { code: string } {
  return Object.assign(error, { code })
}

const kind = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value === 'object')
    return value.constructor?.name ? `an instance of ${value.constructor.name}` : 'an object'
  const text = typeof value === 'string' ? `'${value.length > 28 ? `${value.slice(0, 25)}...` : value}'` : String(value)
  return `type ${typeof value} (${text}${typeof value === 'bigint' ? 'n' : ''})`
}

/**
 * Creates Node's error for an argument of a wrong type: `The "path" argument must be of type string. Received
 * undefined`.
 */
export function invalidType(name: string, expected: string, value: unknown): TypeError & { code: string } {
  const quoted = name.includes('.') ? `"${name}" property` : `"${name}" argument`
  const subject = name.endsWith(' argument') ? name : quoted
  return coded(new TypeError(`The ${subject} must be ${expected}. Received ${kind(value)}`), 'ERR_INVALID_ARG_TYPE')
}

/** Creates Node's `RangeError` for a number out of range. */
export function outOfRange(name: string, range: string, value: unknown): RangeError & { code: string } {
  const message = `The value of "${name}" is out of range. It must be ${range}. Received ${String(value)}`
  return coded(new RangeError(message), 'ERR_OUT_OF_RANGE')
}

export function unknownEncoding(encoding: string): TypeError & { code: string } {
  return coded(new TypeError(`Unknown encoding: ${encoding}`), 'ERR_UNKNOWN_ENCODING')
}

/** Node's error for an operation that an AbortSignal aborted. */
export class AbortError extends Error {
  readonly code = 'ABORT_ERR'
  constructor(reason?: unknown) {
    super('The operation was aborted', reason === undefined ? undefined : { cause: reason })
    this.name = 'AbortError'
  }
}

/** Creates the error for a feature of Node and bun that the small runtime lacks. */
export function notSupported(what: string): Error & { code: string } {
  const error = new Error(`${what} does not exist on the small runtime: build with --runtime bun`)
  return coded(error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM')
}
