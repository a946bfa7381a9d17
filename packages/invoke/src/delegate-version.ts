import { CNI_VERSIONS, ErrorCode, gte, isCniVersion } from '@cni/types'
import { isPluginError } from './errors.ts'

/** Chooses the CNI version for a plugin: the configuration's version, or the nearest common version. */
export function chooseVersion(own: string, supported: readonly string[]): string | undefined {
  if (supported.includes(own)) return own
  if (!/^\d+(\.\d+){0,2}$/.test(own)) return undefined
  const shared = CNI_VERSIONS.filter((version) => supported.includes(version))
  return shared.findLast((version) => !gte(version, own)) ?? shared[0]
}

/** True if a plugin rejected the CNI version. Such a plugin has changed nothing. */
export function isVersionRefusal(error: unknown): boolean {
  return isPluginError(error) && error.reason === 'reported' && error.code === ErrorCode.incompatibleVersion
}

/** Supported versions that a plugin's error lists, in the format of Go's skeleton and `@cni/skel`. */
export function versionsInRefusal(error: unknown): readonly string[] | undefined {
  const text = isPluginError(error) ? /plugin supports \[([^\]]*)\]/.exec(error.details ?? '')?.[1] : undefined
  const versions = [...(text ?? '').matchAll(/"([^"]*)"/g)].flatMap(([, version]) => version ?? [])
  return versions.some(isCniVersion) ? versions : undefined
}
