import { isObject, type JsonObject, parseJson } from '@cni/types'
import { isTooDeep } from './too-deep.ts'

/** A plugin inside another plugin's configuration: Multus copies the node's first network into its `delegates`. */
export interface NestedEntry {
  /** Path of members and indices, with the spelling in the text: `['delegates', 0, 'plugins', 2]`. */
  readonly path: readonly (string | number)[]
  /** Type of the plugin whose configuration contains it, such as `multus`. */
  readonly holder: string
  /** Name of the plugin's network. */
  readonly network?: string
}

/** Copies of a plugin in another plugin's configuration. */
export interface NestedEntries {
  readonly entries: readonly NestedEntry[]
  /** Set if the search stopped at a limit. The text may contain more copies. */
  readonly limit?: string
}

/** Maximum depth of nested `delegates`. Multus writes one level. */
const MAX_LEVELS = 16
/** Maximum number of configurations in a text, delegates and plugins. */
const MAX_CONFIGURATIONS = 10_000
/** Maximum number of entries in a text. */
const MAX_ENTRIES = 100

/**
 * Finds plugins of a type in the `delegates` and `delegate` members of other plugins, such as Multus and flannel.
 * Ignores plugins of the configuration itself, which `countEntries` counts. Finds nothing in invalid text.
 */
export function nestedEntries(text: string | Uint8Array, type: string): NestedEntries {
  const entries: NestedEntry[] = []
  const levels: Level[] = [{ value: documentOf(text), path: [], depth: 0, holder: '' }]
  let seen = 0
  // The loop also visits the levels that it appends.
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

/** Formats a path as users write it: `delegates[0].plugins[2]`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

/** A network configuration: a single plugin or a list. */
interface Level {
  readonly value: unknown
  readonly path: NestedEntry['path']
  /** Number of enclosing `delegates`. */
  readonly depth: number
  readonly holder: string
}

interface Plugin {
  readonly conf: JsonObject
  readonly path: NestedEntry['path']
  readonly network?: string | undefined
}

/**
 * A delegate with a type is a single plugin for Multus, whatever else it contains. The document itself may be a list.
 */
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

/** Finds a member in any case, as Go does. The exact spelling has priority. */
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
    // Runtimes do not run an invalid text, so it contains no plugin.
    return undefined
  }
}
