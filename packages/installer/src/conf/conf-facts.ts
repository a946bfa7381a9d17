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

/** What a configuration file says, whatever the others in its folder are. */
export interface ConfFacts {
  /** The types of its own plugins, in order. */
  readonly types: readonly string[]
  /** Why no runtime can load it. */
  readonly problem?: string
  /** The problem is the file, and not what is in it. */
  readonly isUnreadable?: boolean
  /** A folder with the name of a configuration: no runtime opens it. */
  readonly isFolder?: boolean
  /** The folder next to it whose `.conf` files runtimes add to it. */
  readonly folder?: string
  /** Its Multus plugin. */
  readonly delegation?: Delegation
  /** Copies of the plugin in the `delegates` of others. */
  readonly copies?: readonly NestedEntry[]
}

/** What the text of a `.conf`, `.json` or `.conflist` file says; `type` is the plugin whose copies are searched. */
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

/** Whether a plugin type is in a text, or could be with escapes. */
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

/** Go finds `type` in any case, as runtimes do; it is the only member where that matters here. */
function foldPlugins(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.plugins)) return value
  const folded: JsonObject = {
    ...value,
    plugins: value.plugins.map((plugin) => (isObject(plugin) ? foldMembers(plugin, ['type']) : plugin)),
  }
  return folded
}
