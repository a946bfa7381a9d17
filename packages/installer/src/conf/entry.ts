import {
  type ConflistDocument,
  foldMembers,
  goStringify,
  gte,
  isCniVersion,
  isObject,
  type JsonObject,
  messageOf,
  type PluginConf,
  parseJson,
} from '@cni/types'
import { InstallError } from '../install-error.ts'
import { appendPlugin, dropPlugins, listText } from './edit-list.ts'
import { isTooDeep, TOO_DEEP } from './too-deep.ts'
import { utf8Text } from './utf8-text.ts'

/** Text or bytes of a network configuration. */
export type Text = string | Uint8Array

/** Appends the plugin to a network configuration, and keeps all other text unchanged. */
export function insertEntry(existing: Text, plugin: PluginConf): string {
  const text = textOf(existing)
  const document = parseDocument(text)
  const list = isSingle(document) ? listText(text, listHead(document)) : text
  return appendPlugin(withoutType(list, plugin.type), inList(plugin))
}

/** Removes all plugins of a type. Returns `undefined` if the configuration has none. */
export function removeEntry(existing: Text, type: string): string | undefined {
  const text = textOf(existing)
  if (isSingle(parseDocument(text))) return undefined
  const without = withoutType(text, type)
  return without === text ? undefined : without
}

/** True if the configuration contains the given plugin exactly once, at the end of its plugin list. */
export function hasEntry(existing: Text, plugin: PluginConf): boolean {
  const document = parseDocument(existing)
  if (isSingle(document)) return false
  const plugins = asDocument(document).plugins ?? []
  const last = plugins.at(-1)
  if (plugins.filter((one) => one.type === plugin.type).length !== 1) return false
  return last !== undefined && print(last) === print(inList(plugin))
}

/** Number of plugins of a type in a network configuration; 0 for an invalid configuration. */
export function countEntries(existing: Text, type: string): number {
  try {
    const document = parseDocument(existing)
    if (isSingle(document)) return document.type === type ? 1 : 0
    return asDocument(document).plugins?.filter((plugin) => plugin.type === type).length ?? 0
  } catch {
    // An invalid configuration counts as a configuration without the plugin, because no container runtime runs it.
    return 0
  }
}

/** Text of a configuration file that contains only the plugin. */
export function standaloneText(plugin: PluginConf, name: string): string {
  const document = name.endsWith('.conflist') ? listOfOne(plugin) : plugin
  return `${goStringify(document, { indent: 2 })}\n`
}

/** True if two network configurations differ only in the order of their members or in white space. */
export function sameDocument(a: Text, b: Text): boolean {
  try {
    return print(parseDocument(a)) === print(parseDocument(b))
  } catch {
    // The texts count as different, because at least one text is an invalid network configuration.
    return false
  }
}

/** `name` and `cniVersion` of a converted list. Keeps the network's name, by which IPAM plugins store leases. */
function listHead(document: JsonObject): { readonly name: string; readonly cniVersion: string } {
  const { name, cniVersion } = foldMembers(document, ['name', 'cniVersion'])
  return {
    name: typeof name === 'string' && name !== '' ? name : 'k8s-pod-network',
    cniVersion: isCniVersion(cniVersion) && gte(cniVersion, '0.3.0') ? cniVersion : '0.3.1',
  }
}

function withoutType(list: string, type: string): string {
  const { plugins = [] } = asDocument(parseDocument(list))
  return dropPlugins(list, (index) => plugins[index]?.type === type)
}

/** True for a single configuration. An object with both `type` and `plugins` is already a list. */
function isSingle(document: JsonObject): boolean {
  return document.type !== undefined && !Array.isArray(document.plugins)
}

function asDocument(document: JsonObject): ConflistDocument {
  if (!hasPlugins(document)) {
    throw new InstallError('INVALID_CONFIG', 'no place for a plugin: "plugins" must be an array of objects')
  }
  return document
}

function hasPlugins(document: JsonObject): document is ConflistDocument {
  return Array.isArray(document.plugins) && document.plugins.every(isObject)
}

function textOf(text: Text): string {
  return typeof text === 'string' ? text : utf8Text(text)
}

function parseDocument(text: Text): JsonObject {
  let value: unknown
  try {
    if (isTooDeep(text)) throw new Error(`not a configuration: ${TOO_DEEP}`)
    value = parseJson(text, 'not a configuration')
  } catch (cause) {
    throw new InstallError('INVALID_CONFIG', messageOf(cause), { cause })
  }
  if (isObject(value)) return value
  throw new InstallError('INVALID_CONFIG', 'not a configuration: expected a JSON object')
}

function inList(plugin: PluginConf): PluginConf {
  const { cniVersion: _, ...entry } = plugin
  return entry
}

function print(value: unknown): string {
  try {
    return `${goStringify(value, { indent: 2, sortKeys: true })}\n`
  } catch (cause) {
    throw new InstallError('INVALID_CONFIG', `cannot rewrite it: ${messageOf(cause)}`, { cause })
  }
}

/** Makes a list of one plugin. Takes `name` and `cniVersion` of the list from the plugin. */
function listOfOne(plugin: PluginConf) {
  const { cniVersion, name = '' } = plugin
  return { ...(cniVersion === undefined ? {} : { cniVersion }), name, plugins: [plugin] }
}
