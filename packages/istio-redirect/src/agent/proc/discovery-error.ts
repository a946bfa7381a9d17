const brand = Symbol.for('cni.DiscoveryError')

/**
 * Error of a search for the network namespaces of pods, or for the kubelet. The node's procfs does not show enough for
 * the search.
 */
export class DiscoveryError extends Error {
  readonly [brand] = true

  static {
    DiscoveryError.prototype.name = 'DiscoveryError'
  }
}

/** True for a {@link DiscoveryError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isDiscoveryError(error: unknown): error is DiscoveryError {
  return error instanceof Error && brand in error
}
