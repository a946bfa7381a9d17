import { CniError, ErrorCode } from '../errors.ts'
import { isObject, type JsonObject, kindOf, parseJson } from '../json/json.ts'
import { CURRENT_VERSION, compareVersions, gt, isCniVersion, parseVersion } from '../versions.ts'
import { assertPluginConf, type PluginConf } from './plugin-conf.ts'

/** A network configuration list as parsed from its file. Flags such as `disableCheck` are booleans or strings. */
export interface ConflistDocument {
  cniVersion?: string
  cniVersions?: string[]
  name: string
  disableCheck?: boolean | string
  disableGC?: boolean | string
  loadOnlyInlinedPlugins?: boolean | string
  plugins?: PluginConf[]
  [member: string]: unknown
}

/** A network configuration list as the runtime uses it: flags are booleans, and `plugins` exists. */
export interface Conflist extends ConflistDocument {
  disableCheck?: boolean
  disableGC?: boolean
  loadOnlyInlinedPlugins?: boolean
  plugins: PluginConf[]
}

/**
 * Parses a network configuration list. Flags become booleans. `cniVersion` becomes the newest known version of
 * `cniVersions`.
 *
 * @throws {@link CniError} with code 6 for invalid JSON, and with code 7 for an invalid list.
 * @example
 * ```ts
 * parseConflist('{"name":"pods","cniVersions":["0.4.0","1.1.0"],"plugins":[{"type":"bridge"}]}').cniVersion // '1.1.0'
 * ```
 */
export function parseConflist(input: string | Uint8Array): Conflist {
  const list: JsonObject = { ...parseConflistDocument(input) }
  for (const flag of FLAGS) {
    if (list[flag] === undefined) continue
    list[flag] = isTrue(list[flag])
  }
  const cniVersion = selectVersion(list as ConflistDocument)
  if (cniVersion !== undefined) list.cniVersion = cniVersion
  list.plugins ??= []
  return list as Conflist
}

/**
 * Parses a network configuration list that the caller edits. Makes all checks of {@link parseConflist}, but changes no
 * member.
 */
export function parseConflistDocument(input: string | Uint8Array): ConflistDocument {
  const list = parseJson(input, PREFIX)
  assertConflistDocument(list)
  return list
}

/** Throws a {@link CniError} with code 7 unless the value is a valid list, as {@link parseConflist} accepts it. */
export function assertConflistDocument(list: unknown): asserts list is ConflistDocument {
  if (!isObject(list)) throw invalid(`expected an object, got ${kindOf(list)}`)
  const { name, cniVersion, cniVersions, plugins } = list
  if (name === undefined) throw invalid('no name')
  if (typeof name !== 'string') throw invalid(`invalid name type ${kindOf(name)}`)
  if (cniVersion !== undefined && typeof cniVersion !== 'string') {
    throw invalid(`invalid cniVersion type ${kindOf(cniVersion)}`)
  }
  if (cniVersions !== undefined) assertVersions(cniVersions, cniVersion || undefined)
  for (const flag of FLAGS) assertFlag(flag, list[flag])
  if (plugins !== undefined) assertPlugins(plugins)
  else if (isTrue(list.loadOnlyInlinedPlugins)) throw invalid("no 'plugins' key, but loadOnlyInlinedPlugins is true")
}

/** Version that a runtime uses for a network configuration list: the newest up to 1.1.0. */
export function selectVersion(list: Pick<ConflistDocument, 'cniVersion' | 'cniVersions'>): string | undefined {
  const { cniVersion, cniVersions } = list
  if (cniVersions === undefined) return cniVersion
  const candidates = [...cniVersions, ...(cniVersion ? [cniVersion] : [])].filter((one) => !gt(one, CURRENT_VERSION))
  // Two texts may mean the same version, such as "1.1" and "1.1.0". Prefers the text that plugins know: "1.1.0".
  candidates.sort((a, b) => compareVersions(a, b) || Number(isCniVersion(a)) - Number(isCniVersion(b)))
  return candidates.at(-1) ?? cniVersion
}

const PREFIX = 'error parsing configuration list'
const FLAGS = ['disableCheck', 'disableGC', 'loadOnlyInlinedPlugins'] as const

function assertVersions(versions: unknown, cniVersion: string | undefined): void {
  if (!Array.isArray(versions)) throw invalid(`invalid cniVersions type ${kindOf(versions)}`)
  for (const [index, version] of versions.entries()) {
    if (typeof version !== 'string') throw invalid(`invalid cniVersions type ${kindOf(version)} index ${index}`)
    assertComparable(version, `cniVersions value ${JSON.stringify(version)} index ${index}`)
  }
  if (cniVersion !== undefined) assertComparable(cniVersion, `cniVersion value ${JSON.stringify(cniVersion)}`)
}

function assertComparable(version: string, what: string): void {
  try {
    parseVersion(version)
  } catch (cause) {
    throw invalid(`invalid ${what}`, cause)
  }
}

function assertFlag(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return
  if (typeof value !== 'string') throw invalid(`invalid ${name} type ${kindOf(value)}`)
  if (!/^(true|false)$/i.test(value)) throw invalid(`invalid ${name} value ${JSON.stringify(value)}`)
}

function isTrue(flag: unknown): boolean {
  return flag === true || (typeof flag === 'string' && flag.toLowerCase() === 'true')
}

function assertPlugins(plugins: unknown): void {
  if (!Array.isArray(plugins)) throw invalid(`invalid 'plugins' type ${kindOf(plugins)}`)
  if (plugins.length === 0) throw invalid('no plugins in list')
  for (const [index, plugin] of plugins.entries()) assertPluginConf(plugin, `failed to parse plugin config ${index}`)
}

function invalid(reason: string, cause?: unknown): CniError {
  const options = cause === undefined ? {} : { cause }
  return new CniError(ErrorCode.invalidNetworkConfig, `${PREFIX}: ${reason}`, options)
}
