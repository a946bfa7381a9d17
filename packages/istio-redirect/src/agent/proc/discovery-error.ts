const brand = Symbol.for('cni.DiscoveryError')

/** Error of a search for pods' network namespaces or the kubelet in the node's procfs. */
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
