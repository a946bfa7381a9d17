const brand = Symbol.for('cni.DiscoveryError')

/** Whose namespace is whose cannot be told: procfs does not say enough. */
export class DiscoveryError extends Error {
  readonly [brand] = true

  static {
    DiscoveryError.prototype.name = 'DiscoveryError'
  }
}

/** Is it a {@link DiscoveryError}, also one of another copy of this package? */
export function isDiscoveryError(error: unknown): error is DiscoveryError {
  return error instanceof Error && brand in error
}
