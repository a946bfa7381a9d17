/**
 * What goes around the handlers of a plugin. The first one is the outermost.
 *
 * @example
 * ```ts
 * import { definePlugin } from '@cni/skel'
 * import { recover, span, timeout, use } from '@cni/skel/middleware'
 *
 * const plugin = use(
 *   definePlugin({ name: 'tag', chained: true, add: (c) => c.prevResult }),
 *   span(),
 *   recover(),
 *   timeout({ ADD: 20_000, STATUS: 2000 }),
 * )
 * ```
 *
 * @module
 */

export type { SpanContext } from '../span-context.ts'
export { type RecoverCodes, recover } from './recover.ts'
export { span } from './span.ts'
export { type Budgets, timeout } from './timeout.ts'
export { type Middleware, type MiddlewareContext, type Next, type NextContext, use } from './use.ts'
