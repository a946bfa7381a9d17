import {
  assertConflistDocument,
  type ConflistDocument,
  conflistFromPlugin,
  goStringify,
  insertPlugin,
  isObject,
  type JsonObject,
  type PluginConf,
  parseJson,
  removePlugin,
} from '@cni/types'
import { InstallError, messageOf } from '../install-error.ts'

/** A text, or the bytes of a file. */
export type Text = string | Uint8Array

/**
 * The text of a configuration with the plugin as its last: entries of its type give way to it, a single configuration
 * becomes a list, keys are sorted at every level. The plugin's own `cniVersion` is left out, for a list has its own.
 *
 * @throws {@link InstallError} `INVALID_CONFIG` for text that has no place for a plugin.
 */
export function insertEntry(existing: Text, plugin: PluginConf): string {
  return print(insertPlugin(asList(existing), inList(plugin)))
}

/** The text without the plugins of a type, or `undefined` when there is none in it. */
export function removeEntry(existing: Text, type: string): string | undefined {
  const document = parseDocument(existing)
  if (isSingle(document)) return undefined
  const list = asDocument(document)
  const without = removePlugin(list, type)
  return without === list ? undefined : print(without)
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
  const document = name.endsWith('.conflist') ? conflistFromPlugin(plugin) : plugin
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

const WRAPPER = { cniVersion: '0.3.1', name: 'k8s-pod-network' } as const

function asList(existing: Text): ConflistDocument {
  const document = parseDocument(existing)
  if (!isSingle(document)) return asDocument(document)
  // A list has the version; the plugin's own would be another.
  const { cniVersion: _, ...single } = document
  const list: unknown = { ...WRAPPER, plugins: [single] }
  assertConflistDocument(list)
  return list
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

function parseDocument(text: Text): JsonObject {
  let value: unknown
  try {
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
