import { type Middleware, type Plugin, use } from '@cni/skel'

/** Wraps a plugin for rollback tests. The ADD of the wrapped plugin calls `meanwhile` and fails at the end. */
export function failLast<Conf, Chained extends boolean, State>(
  plugin: Plugin<Conf, Chained, State>,
  meanwhile: () => Promise<unknown>,
): Plugin<Conf, Chained, State> {
  const fail: Middleware = async (c, next) => {
    const outcome = await next()
    if (c.verb !== 'ADD') return outcome
    await meanwhile()
    throw new Error('a later step fails')
  }
  return use(plugin, fail)
}
