import { CURRENT_VERSION, isObject, messageOf } from '@cni/types'
import { pluginEnv } from './env.ts'
import { InvokeError, isPluginError } from './errors.ts'
import type { InvokeOptions } from './exec.ts'
import { execPlugin } from './exec-plugin.ts'
import { quoteOutput } from './go-text.ts'

type VersionInfo = Awaited<ReturnType<typeof getVersionInfo>>

/**
 * Queries the CNI versions that a plugin supports. A plugin without the VERSION verb supports 0.1.0.
 *
 * @throws {@link PluginError} if the plugin fails. Throws {@link InvokeError} `BAD_VERSION_INFO` if the plugin's answer
 *   is invalid.
 *
 * @example
 * ```ts
 * const { supportedVersions } = await getVersionInfo(realExec().find('bridge', ['/usr/lib/cni']))
 * ```
 */
export async function getVersionInfo(
  path: string,
  options: InvokeOptions = {},
): Promise<{ readonly cniVersion: string; readonly supportedVersions: readonly string[] }> {
  // Sets CNI_NETNS and CNI_IFNAME, because early versions of Go's skeleton require them even for VERSION.
  const env = pluginEnv('VERSION', { netns: 'dummy', ifName: 'dummy', path: ['dummy'] }, options.env)
  try {
    const stdout = await execPlugin(path, { cniVersion: CURRENT_VERSION }, { ...options, env })
    return readVersionInfo(path, stdout)
  } catch (error) {
    const old = isPluginError(error) && error.message === 'unknown CNI_COMMAND: VERSION' && !error.details
    if (old) return { cniVersion: '0.1.0', supportedVersions: ['0.1.0'] }
    throw error
  }
}

function readVersionInfo(path: string, stdout: string): VersionInfo {
  const answer = parse(path, stdout)
  if (!isObject(answer)) throw badAnswer(path, `expected a JSON object, got ${quoteOutput(stdout)}`)
  const { cniVersion, supportedVersions } = answer
  if (typeof cniVersion !== 'string' || cniVersion === '') throw badAnswer(path, 'missing field cniVersion')
  if (supportedVersions === undefined || supportedVersions === null) return withoutList(path, cniVersion)
  if (!Array.isArray(supportedVersions) || !supportedVersions.every((one) => typeof one === 'string')) {
    throw badAnswer(path, `supportedVersions: expected an array of strings, got ${JSON.stringify(supportedVersions)}`)
  }
  return supportedVersions.length === 0 ? withoutList(path, cniVersion) : { cniVersion, supportedVersions }
}

/** A VERSION answer may omit `supportedVersions`: the list was optional in version 0.2.0 of the specification. */
function withoutList(path: string, cniVersion: string): VersionInfo {
  if (cniVersion === '0.2.0') return { cniVersion, supportedVersions: ['0.1.0', '0.2.0'] }
  throw badAnswer(path, 'missing field supportedVersions')
}

function parse(path: string, stdout: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    const why = stdout.trim() === '' ? 'unexpected end of JSON input' : messageOf(cause)
    throw badAnswer(path, why, cause)
  }
}

function badAnswer(path: string, why: string, cause?: unknown): InvokeError {
  return new InvokeError('BAD_VERSION_INFO', path, `decoding version info of ${path}: ${why}`, { cause })
}
