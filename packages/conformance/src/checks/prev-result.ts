import { isObject, type JsonObject } from '@cni/types'
import { from, resultIn } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { addFirst } from '../judge/add-first.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import { lostFrom } from '../judge/lost.ts'
import { kernelOf } from '../world/kernel.ts'
import { decoded } from './results.ts'

const SPEC =
  'SPEC 1.1.0, section 5, "Add Success": plugins provided a prevResult must output it, with any modifications'
const WHY = 'The runtime and the plugins behind it see only what this plugin prints: what it drops is lost.'

/** Checks that a chained plugin reads `prevResult` and keeps the items of `prevResult` in the plugin's own result. */
export const prevResult: readonly Check[] = [
  {
    id: 'prev-result.kept',
    group: 'results',
    title: 'A chained plugin passes prevResult on: nothing is lost',
    spec: SPEC,
    async run(ctx) {
      if (!hasPrevResult(ctx) || (await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const { pod } = attached
      const exchange = await addFirst(ctx, attached)
      const result = exchange && decoded(ctx, exchange, resultIn(exchange))
      if (result === undefined || pod.prevResult === undefined) return
      const kernel = { pod: await kernelOf(pod.netns), node: await kernelOf(ctx.world.node) }
      for (const { what, removed } of lostFrom(pod.prevResult, result, kernel)) {
        if (removed) ctx.note(`prevResult's ${what} is gone from the result, and from the pod`)
        else ctx.violation(`prevResult's ${what} is not in the result`, WHY, exchange)
      }
      await attached.del()
    },
  },
  {
    id: 'prev-result.version',
    group: 'results',
    title: 'The result of a chained plugin stays in the version of the configuration',
    spec: `${SPEC}; cniVersion`,
    async run(ctx) {
      if (!hasPrevResult(ctx) || (await ctx.working()) === undefined) return
      if (ctx.supportedVersions === undefined) return ctx.block('VERSION does not say which versions are supported')
      const versions = ['1.0.0', '0.4.0'].filter((each) => ctx.supportedVersions?.includes(each))
      if (versions.length === 0) return ctx.skip('it claims neither 1.0.0 nor 0.4.0')
      for (const version of versions) {
        const attached = await ctx.attach(version)
        const exchange = await attached.add()
        if (!expectSuccess(ctx, exchange, { what: `ADD with cniVersion ${version}`, why: WHY })) continue
        const result = resultIn(exchange)
        if (result?.cniVersion !== version) {
          const summary = `prevResult in ${version} came back as ${JSON.stringify(result?.cniVersion)}`
          ctx.violation(summary, 'The next plugin cannot read it.', exchange)
        }
      }
    },
  },
  {
    id: 'prev-result.unknown',
    group: 'results',
    title: 'Members of prevResult that it does not know survive',
    spec: SPEC,
    async run(ctx) {
      if (!hasPrevResult(ctx) || (await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const { prevResult: given } = attached.conf('ADD')
      if (!isObject(given)) return
      const exchange = await attached.add({ conf: { prevResult: withUnknown(given) } })
      const why = 'A plugin of a newer version before this one may have said more than this one understands.'
      if (!expectSuccess(ctx, exchange, { what: 'ADD with unknown members in prevResult', why })) return
      const result = resultIn(exchange)
      const inside =
        Array.isArray(result?.interfaces) && result.interfaces.some((each) => isObject(each) && UNKNOWN in each)
      const lost = [...(result && UNKNOWN in result ? [] : ['of the result']), ...(inside ? [] : ['of an interface'])]
      if (lost.length > 0) ctx.advice(`an unknown member ${lost.join(' and one ')} is lost`, why, exchange)
      await attached.del()
    },
  },
]

/** Returns true if the check can use `prevResult`. Otherwise marks the check as skipped. */
function hasPrevResult(ctx: Context): boolean {
  if (!ctx.chained) ctx.skip('not a chained plugin')
  else if (!from(ctx.version, '0.3.0')) ctx.skip(`there is no prevResult in ${ctx.version}`)
  else return true
  return false
}

const UNKNOWN = 'example.com/unknown'

function withUnknown(given: JsonObject): JsonObject {
  const interfaces = Array.isArray(given.interfaces) ? given.interfaces : []
  const marked = interfaces.map((each, index) => (index === 0 && isObject(each) ? { ...each, [UNKNOWN]: 1 } : each))
  return { ...given, [UNKNOWN]: { kept: true }, interfaces: marked }
}
