const brand = Symbol.for('cni.ConfigError')

/** A configuration that cannot be used; the message names the setting. Nothing was done. */
export class ConfigError extends Error {
  readonly [brand] = true

  static {
    ConfigError.prototype.name = 'ConfigError'
  }
}

/** Is it a {@link ConfigError}, also one of another copy of this package? */
export function isConfigError(error: unknown): error is ConfigError {
  return error instanceof Error && brand in error
}
