import { isObject, type JsonObject, parseJson } from '@cni/types'
import { isTooDeep } from './too-deep.ts'

/** A plugin that another plugin's configuration holds: Multus copies the node's first network into its `delegates`. */
export interface NestedEntry {
  /** The members and indices that lead to the plugin, as the text spells them: `['delegates', 0, 'plugins', 2]`. */
  readonly path: readonly (string | number)[]
  /** The type of the plugin whose configuration holds it, such as `multus`. */
  readonly holder: string
  /** The name of the network that the plugin belongs to. */
  readonly network?: string
}

/** The copies of a plugin in a configuration of another one. */
export interface NestedEntries {
  readonly entries: readonly NestedEntry[]
  /** Set if the search stopped at a limit: the text may hold more copies. */
  readonly limit?: string
}

/** `delegates` in each other. Multus writes one level. */
const MAX_LEVELS = 16
/** Configurations of one text, delegates and plugins. */
const MAX_CONFIGURATIONS = 10_000
/** Entries of one text. */
const MAX_ENTRIES = 100

/**
 * Finds the plugins of a type in the `delegates` and `delegate` members of other plugins, as Multus and flannel have
 * them. A plugin of the configuration itself is not nested: `countEntries` counts these. Invalid text holds no plugin.
 */
export function nestedEntries(text: string | Uint8Array, type: string): NestedEntries {
  const entries: NestedEntry[] = []
  const levels: Level[] = [{ value: documentOf(text), path: [], depth: 0, holder: '' }]
  let seen = 0
  // the loop also takes the levels that it adds
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

/** A path as users write it: `delegates[0].plugins[2]`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

/** A network configuration: a single plugin or a list. */
interface Level {
  readonly value: unknown
  readonly path: NestedEntry['path']
  /** Number of `delegates` around it. */
  readonly depth: number
  readonly holder: string
}

interface Plugin {
  readonly conf: JsonObject
  readonly path: NestedEntry['path']
  readonly network?: string | undefined
}

/** Multus takes a configuration with a type for a single plugin, whatever else is in it; the document itself may differ. */
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

/** A member by its name in any case, as Go finds it. The exact spelling wins. */
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
    // runtimes do not run an invalid text, so it holds no plugin
    return undefined
  }
}
