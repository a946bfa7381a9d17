import { isObject, type JsonObject, parseJson } from '@cni/types'
import { isTooDeep } from './too-deep.ts'

/** A plugin inside another plugin's configuration: Multus copies the node's first network into its `delegates`. */
export interface NestedEntry {
  /** Path to the nested plugin, such as `['delegates', 0, 'plugins', 2]`. */
  readonly path: readonly (string | number)[]
  /** Type of the outer plugin, whose configuration contains the nested plugin. For example `multus`. */
  readonly holder: string
  /** Name of the network to which the nested plugin belongs. */
  readonly network?: string
}

/** Configurations of a plugin that were found inside other plugins' configurations. */
export interface NestedEntries {
  readonly entries: readonly NestedEntry[]
  /** Message for users if the search stopped at a limit. The search may have missed some configurations. */
  readonly limit?: string
}

/** Maximum depth of nested `delegates`. Multus writes one level. */
const MAX_LEVELS = 16
/** Maximum number of plugins and delegates that a search visits in one JSON text. */
const MAX_CONFIGURATIONS = 10_000
/** Maximum number of a plugin's configurations that a search in the `delegates` of one JSON text returns. */
const MAX_ENTRIES = 100

/** Finds plugins of a type in the delegates of other plugins, such as Multus. */
export function nestedEntries(text: string | Uint8Array, type: string): NestedEntries {
  const entries: NestedEntry[] = []
  const levels: Level[] = [{ value: documentOf(text), path: [], depth: 0, holder: '' }]
  let seen = 0
  // The loop also visits the nested network configurations that it appends to `levels`.
  for (const level of levels) {
    const plugins = pluginsOf(level)
    seen += Math.max(plugins.length, 1)
    if (seen > MAX_CONFIGURATIONS) return { entries, limit: `it holds more than ${MAX_CONFIGURATIONS} configurations` }
    for (const { conf, path, network } of plugins) {
      const holder = stringOf(conf, 'type') ?? ''
      if (holder === type && level.depth > 0) {
        if (entries.length === MAX_ENTRIES) return { entries, limit: `it holds more than ${MAX_ENTRIES} of ${type}` }
        entries.push({ path, holder: level.holder, ...(network === undefined ? {} : { network }) })
      }
      const inside = delegatesOf(conf, path, { depth: level.depth + 1, holder })
      if (inside.length > 0 && level.depth === MAX_LEVELS) {
        return { entries, limit: `its delegates are nested deeper than ${MAX_LEVELS} levels` }
      }
      for (const one of inside) levels.push(one)
    }
  }
  return { entries }
}

/** Formats the path of a JSON member as users write it: `delegates[0].plugins[2]`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

/** Network configuration in the searched JSON text: a single plugin or a list, with its path in the text. */
interface Level {
  readonly value: unknown
  readonly path: NestedEntry['path']
  /** Number of `delegates` members that enclose the network configuration. */
  readonly depth: number
  readonly holder: string
}

interface Plugin {
  readonly conf: JsonObject
  readonly path: NestedEntry['path']
  readonly network?: string | undefined
}

/** Lists the plugins of a network configuration. In `delegates`, Multus ignores `plugins` if there is a `type`. */
function pluginsOf({ value, path, depth }: Level): Plugin[] {
  if (!isObject(value)) return []
  const network = stringOf(value, 'name')
  const plugins = memberOf(value, 'plugins')
  const isSingle = stringOf(value, 'type') !== undefined && (depth > 0 || !Array.isArray(plugins?.value))
  if (isSingle) return [{ conf: value, path, network }]
  if (plugins === undefined || !Array.isArray(plugins.value)) return []
  const { key, value: list } = plugins
  return list.flatMap((conf: unknown, at) => (isObject(conf) ? [{ conf, path: [...path, key, at], network }] : []))
}

function delegatesOf(conf: JsonObject, path: NestedEntry['path'], holder: Pick<Level, 'depth' | 'holder'>): Level[] {
  const one = memberOf(conf, 'delegate')
  const many = memberOf(conf, 'delegates')
  const list: readonly unknown[] = Array.isArray(many?.value) ? many.value.slice(0, MAX_CONFIGURATIONS) : []
  return [
    ...(one === undefined ? [] : [{ value: one.value, path: [...path, one.key], ...holder }]),
    ...list.map((value, at) => ({ value, path: [...path, many?.key ?? '', at], ...holder })),
  ]
}

/** Finds a member of a JSON object. Ignores the name's case, as Go does. */
function memberOf(object: JsonObject, name: string): { readonly key: string; readonly value: unknown } | undefined {
  const keys = Object.keys(object)
  const key = keys.includes(name) ? name : keys.findLast((one) => one.toLowerCase() === name)
  return key === undefined ? undefined : { key, value: object[key] }
}

function stringOf(object: JsonObject, name: string): string | undefined {
  const value = memberOf(object, name)?.value
  return typeof value === 'string' && value !== '' ? value : undefined
}

function documentOf(text: string | Uint8Array): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return parseJson(text, 'not a configuration')
  } catch {
    // Invalid JSON counts as a configuration without the plugin, because no container runtime runs invalid JSON.
    return undefined
  }
}
