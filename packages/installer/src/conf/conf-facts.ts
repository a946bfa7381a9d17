import {
  assertConflistDocument,
  assertPluginConf,
  foldMembers,
  isObject,
  type JsonObject,
  messageOf,
  type PluginConf,
  parseJson,
} from '@cni/types'
import { type NestedEntry, nestedEntries } from './delegates.ts'
import { type Delegation, delegationOf } from './delegation.ts'
import { isTooDeep, TOO_DEEP } from './too-deep.ts'
import { utf8Text } from './utf8-text.ts'

/** Properties of a configuration file that follow from its name and bytes alone. */
export interface ConfFacts {
  /** Types of the plugins in the file, in order. */
  readonly types: readonly string[]
  /** Reason why no container runtime can load the configuration file. */
  readonly problem?: string
  /** True if the file cannot be read. False if the content of a readable file is invalid. */
  readonly isUnreadable?: boolean
  /** True if the path is a folder. Container runtimes do not read a folder as a configuration. */
  readonly isFolder?: boolean
  /** Sub-folder named like the network. Container runtimes add the plugins in the sub-folder's files to the network. */
  readonly folder?: string
  /** Multus plugin of the configuration file, with the network that Multus runs. */
  readonly delegation?: Delegation
  /** Configurations of the installed plugin inside the `delegates` of other plugins in the file. */
  readonly copies?: readonly NestedEntry[]
}

/** Parses a configuration file. Searches the `delegates` for plugins with the given `type`. */
export function confFacts(name: string, bytes: Uint8Array, type?: string): ConfFacts {
  const isList = name.endsWith('.conflist')
  try {
    const text = utf8Text(bytes)
    if (isTooDeep(text)) throw new Error(TOO_DEEP)
    const value = parseJson(text, isList ? 'error parsing configuration list' : 'error parsing configuration')
    const facts = isList ? listFacts(value) : singleFacts(value)
    if (type === undefined || !mayHold(bytes, type)) return facts
    const copies = nestedEntries(text, type).entries
    return copies.length === 0 ? facts : { ...facts, copies }
  } catch (error) {
    return { types: [], problem: messageOf(error) }
  }
}

/** True if the bytes of a configuration may contain the plugin's type, literally or with JSON escapes. */
export function mayHold(bytes: Uint8Array, type: string): boolean {
  const text = utf8Text(bytes)
  return text.includes(type) || text.includes('\\')
}

function listFacts(value: unknown): ConfFacts {
  const list = foldPlugins(value)
  assertConflistDocument(list)
  const plugins = list.plugins ?? []
  const facts = factsOfPlugins(plugins)
  if (/^true$/i.test(String(list.loadOnlyInlinedPlugins ?? ''))) return facts
  const isFolder = /^[^/\0]+$/.test(list.name) && list.name !== '.' && list.name !== '..'
  return isFolder ? { ...facts, folder: list.name } : facts
}

function singleFacts(value: unknown): ConfFacts {
  const conf: unknown = isObject(value) ? foldMembers(value, ['type']) : value
  assertPluginConf(conf, 'error parsing configuration')
  return factsOfPlugins([conf])
}

function factsOfPlugins(plugins: readonly PluginConf[]): ConfFacts {
  const types = plugins.map((plugin) => plugin.type)
  const delegation = plugins.map(delegationOf).find((one) => one !== undefined)
  return delegation === undefined ? { types } : { types, delegation }
}

/** Renames a member `Type` or `TYPE` to `type`, because Go ignores the case of names. */
function foldPlugins(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.plugins)) return value
  const folded: JsonObject = {
    ...value,
    plugins: value.plugins.map((plugin) => (isObject(plugin) ? foldMembers(plugin, ['type']) : plugin)),
  }
  return folded
}
