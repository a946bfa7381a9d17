/** A configuration that cannot be used; the message names the setting. Nothing was done. */
export class ConfigError extends Error {
  static {
    ConfigError.prototype.name = 'ConfigError'
  }
}
