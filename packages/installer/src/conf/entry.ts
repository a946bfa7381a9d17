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

/** A text, or the bytes of a file. */
export type Text = string | Uint8Array

/**
 * The text of a configuration with the plugin as its last: entries of its type give way to it, a single configuration
 * becomes a list of the same name and version. All else stays as it is written, order, blanks and numbers included. The plugin's own `cniVersion` is
 * left out, for a list has its own.
 *
 * @throws {@link InstallError} `INVALID_CONFIG` for text that has no place for a plugin.
 */
export function insertEntry(existing: Text, plugin: PluginConf): string {
  const text = textOf(existing)
  const document = parseDocument(text)
  const list = isSingle(document) ? listText(text, listHead(document)) : text
  return appendPlugin(withoutType(list, plugin.type), inList(plugin))
}

/** The text without the plugins of a type, or `undefined` when there is none in it. */
export function removeEntry(existing: Text, type: string): string | undefined {
  const text = textOf(existing)
  if (isSingle(parseDocument(text))) return undefined
  const without = withoutType(text, type)
  return without === text ? undefined : without
}

/** Whether the text holds the plugin exactly once, as its last, member for member. */
export function hasEntry(existing: Text, plugin: PluginConf): boolean {
  const document = parseDocument(existing)
  if (isSingle(document)) return false
  const plugins = asDocument(document).plugins ?? []
  const last = plugins.at(-1)
  if (plugins.filter((one) => one.type === plugin.type).length !== 1) return false
  return last !== undefined && print(last) === print(inList(plugin))
}

/** How often a plugin type occurs in the text; 0 for text that is no configuration. */
export function countEntries(existing: Text, type: string): number {
  try {
    const document = parseDocument(existing)
    if (isSingle(document)) return document.type === type ? 1 : 0
    return asDocument(document).plugins?.filter((plugin) => plugin.type === type).length ?? 0
  } catch {
    // whatever it is, the plugin is not in it
    return 0
  }
}

/** The text of a file for the plugin alone, members in the order given; a `.conflist` is a list of one. */
export function standaloneText(plugin: PluginConf, name: string): string {
  const document = name.endsWith('.conflist') ? listOfOne(plugin) : plugin
  return `${goStringify(document, { indent: 2 })}\n`
}

/** Whether two texts say the same: what differs in order or blanks only is the same. */
export function sameDocument(a: Text, b: Text): boolean {
  try {
    return print(parseDocument(a)) === print(parseDocument(b))
  } catch {
    // one of them is no configuration
    return false
  }
}

/**
 * Name and version of the list that a single configuration becomes: its own, because addresses are leased and pods are
 * deleted by the network's name. A plugin behind another one needs a `prevResult`, which begins with version 0.3.0.
 */
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

/** A list that happens to have a `type` of its own stays a list: wrapped, it would be a network no more. */
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

/** A list of one plugin, from a configuration of its own: `name` and `cniVersion` are the list's too. */
function listOfOne(plugin: PluginConf) {
  const { cniVersion, name = '' } = plugin
  return { ...(cniVersion === undefined ? {} : { cniVersion }), name, plugins: [plugin] }
}
