const brand = Symbol.for('cni.conformance.error')

/** Error that means "the suite cannot run". Faults of the tested plugin are findings in the report instead. */
export class ConformanceError extends Error {
  /** Reason why the suite cannot run. */
  readonly code:
    | 'NOT_ROOT'
    | 'NO_PLUGIN'
    | 'NO_CONFIG'
    | 'INVALID_CONFIG'
    | 'INVALID_SHARE'
    | 'UNKNOWN_VERSION'
    | 'UNKNOWN_CHECK'
    | 'NOTHING_TO_CHECK'
    | 'ABORTED'
  static {
    Object.defineProperty(ConformanceError.prototype, 'name', { value: 'ConformanceError', configurable: true })
    Object.defineProperty(ConformanceError.prototype, brand, { value: true })
  }

  constructor(code: ConformanceError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** True for a {@link ConformanceError}, also from another copy of the package. */
export function isConformanceError(error: unknown): error is ConformanceError {
  return typeof error === 'object' && error !== null && brand in error
}
