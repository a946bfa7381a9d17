import type { ConflistDocument } from './conflist.ts'
import { assertPluginConf, type PluginConf } from './plugin-conf.ts'

/**
 * The list with a plugin at its end, where a chained plugin belongs; entries of the same `type` give way to it.
 * Everything else keeps its order, and the given list stays as it is.
 *
 * @throws {@link CniError} with code 7 for a plugin without `type`.
 * @example
 * ```ts
 * const edited = insertPlugin(parseConflistDocument(text), { type: 'tcp-redirect', port: 15001 })
 * ```
 */
export function insertPlugin<List extends ConflistDocument>(list: List, plugin: PluginConf) {
  assertPluginConf(plugin, 'cannot insert plugin')
  return { ...list, plugins: [...others(list, plugin.type), plugin] }
}

/**
 * The list without the plugins of a `type`; without such a plugin the very same list. It may be left with none, which
 * no runtime accepts.
 */
export function removePlugin<List extends ConflistDocument>(list: List, type: string): List {
  const kept = others(list, type)
  return kept.length === (list.plugins ?? []).length ? list : { ...list, plugins: kept }
}

function others(list: ConflistDocument, type: string): PluginConf[] {
  return (list.plugins ?? []).filter((plugin) => plugin.type !== type)
}
