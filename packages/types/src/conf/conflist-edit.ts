import type { ConflistDocument } from './conflist.ts'
import { assertPluginConf, type PluginConf } from './plugin-conf.ts'

/**
 * Returns the network configuration list with a plugin appended. Removes earlier plugins of the same `type`. The given
 * list does not change.
 *
 * @throws {@link CniError} with code 7 if the plugin has no `type`.
 * @example
 * ```ts
 * const edited = insertPlugin(parseConflistDocument(text), { type: 'tcp-redirect', port: 15001 })
 * ```
 */
export function insertPlugin<List extends ConflistDocument>(list: List, plugin: PluginConf) {
  assertPluginConf(plugin, 'cannot insert plugin')
  return { ...list, plugins: [...others(list, plugin.type), plugin] }
}

/** Returns the network configuration list without plugins of a `type`. Runtimes reject a list without plugins. */
export function removePlugin<List extends ConflistDocument>(list: List, type: string): List {
  const kept = others(list, type)
  return kept.length === (list.plugins ?? []).length ? list : { ...list, plugins: kept }
}

function others(list: ConflistDocument, type: string): PluginConf[] {
  return (list.plugins ?? []).filter((plugin) => plugin.type !== type)
}
