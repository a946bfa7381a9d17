import type { Plugin } from './plugin.ts'

/** Copies a plugin into a plain object, because the spread syntax omits a class's handlers. */
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
