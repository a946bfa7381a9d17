import { CNI_VERSIONS, ErrorCode, gte, isCniVersion } from '@cni/types'
import { isPluginError } from './errors.ts'

/**
 * Chooses the version for calls of a plugin. Pure. In this order:
 * - the configuration's version, if the plugin supports it.
 * - the newest older version.
 * - the oldest newer version.
 *
 * Returns `undefined` if there is no common version, or if the configuration's version is invalid.
 */
export function chooseVersion(own: string, supported: readonly string[]): string | undefined {
  if (supported.includes(own)) return own
  if (!/^\d+(\.\d+){0,2}$/.test(own)) return undefined
  const shared = CNI_VERSIONS.filter((version) => supported.includes(version))
  return shared.findLast((version) => !gte(version, own)) ?? shared[0]
}

/** True if a plugin rejected the version of its configuration. Such a plugin has changed nothing. */
export function isVersionRefusal(error: unknown): boolean {
  return isPluginError(error) && error.reason === 'reported' && error.code === ErrorCode.incompatibleVersion
}

/**
 * Versions that a refusal names, as Go's and our skeleton print them: `config is "1.1.0", plugin supports ["0.4.0"
 * "1.0.0"]`.
 * Returns `undefined` if it names none.
 */
export function versionsInRefusal(error: unknown): readonly string[] | undefined {
  const text = isPluginError(error) ? /plugin supports \[([^\]]*)\]/.exec(error.details ?? '')?.[1] : undefined
  const versions = [...(text ?? '').matchAll(/"([^"]*)"/g)].flatMap(([, version]) => version ?? [])
  return versions.some(isCniVersion) ? versions : undefined
}
