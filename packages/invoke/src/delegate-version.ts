import { CNI_VERSIONS, ErrorCode, gte, isCniVersion } from '@cni/types'
import { isPluginError } from './errors.ts'

/**
 * Chooses the CNI version in which to call a plugin. Takes the first of these versions that exists:
 * - the configuration's version, if the plugin supports it.
 * - the newest older version that the plugin supports.
 * - the oldest newer version that the plugin supports.
 *
 * Returns `undefined` if there is no common version, or if the configuration's version is invalid.
 */
export function chooseVersion(own: string, supported: readonly string[]): string | undefined {
  if (supported.includes(own)) return own
  if (!/^\d+(\.\d+){0,2}$/.test(own)) return undefined
  const shared = CNI_VERSIONS.filter((version) => supported.includes(version))
  return shared.findLast((version) => !gte(version, own)) ?? shared[0]
}

/**
 * True if a plugin's error rejects the CNI version of its configuration. A plugin with this error has changed nothing.
 */
export function isVersionRefusal(error: unknown): boolean {
  return isPluginError(error) && error.reason === 'reported' && error.code === ErrorCode.incompatibleVersion
}

/**
 * Supported versions from the error of a plugin that rejects its configuration's version. Go's skeleton and `@cni/skel`
 * print them as `config is "1.1.0", plugin supports ["0.4.0" "1.0.0"]`. Returns `undefined` for an error without
 * versions.
 */
export function versionsInRefusal(error: unknown): readonly string[] | undefined {
  const text = isPluginError(error) ? /plugin supports \[([^\]]*)\]/.exec(error.details ?? '')?.[1] : undefined
  const versions = [...(text ?? '').matchAll(/"([^"]*)"/g)].flatMap(([, version]) => version ?? [])
  return versions.some(isCniVersion) ? versions : undefined
}
