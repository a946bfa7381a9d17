const brand = Symbol.for('cni.ConfigError')

/** Error for an invalid configuration of the agent, before any change of the node. */
export class ConfigError extends Error {
  readonly [brand] = true

  static {
    ConfigError.prototype.name = 'ConfigError'
  }
}

/** True for a {@link ConfigError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isConfigError(error: unknown): error is ConfigError {
  return error instanceof Error && brand in error
}
