import type { Result } from '@cni/types'
import { expectTypeOf, it } from 'vitest'
import * as z from 'zod/mini'
import type { CallContext, CheckContext } from '../definition/context.ts'
import { definePlugin } from '../definition/plugin.ts'
import { netConf } from '../schema/net-conf.ts'
import { type Middleware, use } from './use.ts'

const plugin = definePlugin({
  name: 'p',
  chained: true,
  config: netConf({ port: z.int() }),
  add(c) {
    expectTypeOf(c.span).toEqualTypeOf<CallContext['span']>()
    return c.prevResult
  },
  check() {},
})

it('a plugin keeps its types inside middleware', () => {
  const wrapped = use(plugin, (_c, next) => next())
  expectTypeOf(wrapped).toEqualTypeOf(plugin)
  type Check = Parameters<NonNullable<(typeof wrapped)['check']>>[0]
  expectTypeOf<Check['prevResult']>().toEqualTypeOf<Result>()
  expectTypeOf<Check>().toExtend<CheckContext<{ port: number }, true>>()
})

it("a middleware must return the handler's outcome", () => {
  // @ts-expect-error: not the outcome of the handler
  const invented: Middleware = async () => ({})
  // @ts-expect-error: no outcome at all
  const forgotten: Middleware = async (_c, next) => void (await next())
  const fails: Middleware = async () => {
    throw new Error('no')
  }
  return [invented, forgotten, fails]
})
