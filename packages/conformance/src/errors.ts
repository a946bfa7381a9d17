const brand = Symbol.for('cni.conformance.error')

/** Error of a conformance suite that cannot run. A fault of the tested plugin is a finding in the report. */
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
