import type { Verb } from '@cni/types'
import type { AttachmentContext, CallContext } from '../definition/context.ts'
import { plainPlugin } from '../definition/plain-plugin.ts'
import type { Plugin } from '../definition/plugin.ts'

/**
 * Function that runs around a plugin's handlers. The function calls `next` and returns its outcome, or throws. Members
 * of the object that `next` gets replace members of the handler's context.
 *
 * @example
 * ```ts
 * const timing: Middleware = async (c, next) => {
 *   const start = performance.now()
 *   try {
 *     return await next()
 *   } finally {
 *     c.log.info(`${c.verb} is done`, { ms: performance.now() - start })
 *   }
 * }
 * ```
 */
export type Middleware = <Outcome>(
  c: CallContext &
    Partial<Pick<AttachmentContext, 'containerID' | 'ifName'>> & {
      /** Verb of the CNI call, such as `ADD`. */
      readonly verb: Verb
    },
  next: (changes?: Partial<Pick<CallContext, 'env' | 'log' | 'signal' | 'span'>>) => Promise<Outcome>,
) => Promise<Outcome>

/**
 * Wraps each handler of a plugin with middleware, the first one outermost.
 *
 * @example
 * ```ts
 * pluginMain(use(plugin, span(), recover()))
 * ```
 */
export function use<Conf, Chained extends boolean, State>(
  plugin: Plugin<Conf, Chained, State>,
  ...middleware: readonly Middleware[]
): Plugin<Conf, Chained, State> {
  const plain = plainPlugin(plugin)
  const { add, check, del, gc, status } = plain
  return {
    ...plain,
    add: wrapHandler(middleware, 'ADD', add),
    ...(check && { check: wrapHandler(middleware, 'CHECK', check) }),
    ...(del && { del: wrapHandler(middleware, 'DEL', del) }),
    ...(gc && { gc: wrapHandler(middleware, 'GC', gc) }),
    ...(status && { status: wrapHandler(middleware, 'STATUS', status) }),
  }
}

function wrapHandler<Context extends CallContext, Outcome>(
  middleware: readonly Middleware[],
  verb: Verb,
  handler: (c: Context) => Outcome | Promise<Outcome>,
): (c: Context) => Promise<Outcome> {
  const from = async (index: number, c: Context): Promise<Outcome> => {
    const one = middleware[index]
    if (one === undefined) return handler(c)
    return one<Outcome>({ ...c, verb }, (changes) => from(index + 1, { ...c, ...changes }))
  }
  return (c) => from(0, c)
}
