import { CNI_VERSIONS, ErrorCode, gte, isCniVersion } from '@cni/types'
import { isPluginError } from './errors.ts'

/**
 * The version to speak with a plugin: the configuration's own if the plugin supports it, else the newest one before it,
 * else the oldest one after it; `undefined` when none is known to both, or the configuration's is none. Pure.
 */
export function chooseVersion(own: string, supported: readonly string[]): string | undefined {
  if (supported.includes(own)) return own
  if (!/^\d+(\.\d+){0,2}$/.test(own)) return undefined
  const shared = CNI_VERSIONS.filter((version) => supported.includes(version))
  return shared.findLast((version) => !gte(version, own)) ?? shared[0]
}

/** Whether a plugin refused the version of a configuration, so that it did nothing. */
export function isVersionRefusal(error: unknown): boolean {
  return isPluginError(error) && error.reason === 'reported' && error.code === ErrorCode.incompatibleVersion
}

/**
 * The versions that a refusal names, as plugins made with Go's skeleton and ours do:
 * `config is "1.1.0", plugin supports ["0.4.0" "1.0.0"]`. `undefined` when it names none.
 */
export function versionsInRefusal(error: unknown): readonly string[] | undefined {
  const text = isPluginError(error) ? /plugin supports \[([^\]]*)\]/.exec(error.details ?? '')?.[1] : undefined
  const versions = [...(text ?? '').matchAll(/"([^"]*)"/g)].flatMap(([, version]) => version ?? [])
  return versions.some(isCniVersion) ? versions : undefined
}
