import type { Plugin } from './plugin.ts'

/**
 * The same plugin as a plain object, which can be copied by spreading: the handlers of a class are on its prototype.
 * They are called on the plugin itself, because a handler may use `this`.
 */
export function plainPlugin<Conf, Chained extends boolean, State>(
  plugin: Plugin<Conf, Chained, State>,
): Plugin<Conf, Chained, State> {
  const { log, check, del, gc, status } = plugin
  return {
    ...plugin,
    name: plugin.name,
    ...(log && { log: log.bind(plugin) }),
    add: (c) => plugin.add(c),
    ...(check && { check: check.bind(plugin) }),
    ...(del && { del: del.bind(plugin) }),
    ...(gc && { gc: gc.bind(plugin) }),
    ...(status && { status: status.bind(plugin) }),
  }
}
