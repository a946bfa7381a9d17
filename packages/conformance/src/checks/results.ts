import { openRtnl } from '@cni/netns'
import { decodeResult, isObject, type JsonObject, messageOf, type Result } from '@cni/types'
import { resultIn } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { isErrorDocument, readStdout } from '../exchange/documents.ts'
import { addFirst } from '../judge/add-first.ts'
import { expectFailure } from '../judge/expect-failure.ts'
import { failureText } from '../judge/expect-success.ts'
import { compareWithPod } from '../judge/truth.ts'
import type { Exchange } from '../model.ts'

const SUCCESS = 'SPEC 1.1.0, section 5, "Add Success"'

/** Checks of the result that the plugin's ADD prints. */
export const results: readonly Check[] = [
  {
    id: 'add.works',
    group: 'results',
    title: 'ADD with the given configuration succeeds',
    spec: 'SPEC 1.1.0, section 2, "ADD"',
    async run(ctx) {
      const exchange = await ctx.plainAdd()
      const refused = !exchange.timedOut && readStdout(exchange.stdout).documents.some(isErrorDocument)
      // Blocks the check if ADD fails, because the machine may lack a module, daemon or device.
      if (exchange.exitCode === 0 || refused) return void (await ctx.working())
      const why = 'The runtime has to wait, or can only report that it failed.'
      ctx.violation(`ADD with this configuration ${failureText(exchange)}`, why, exchange)
    },
  },
  {
    id: 'add.document',
    group: 'results',
    title: 'ADD prints exactly one JSON document: a result in the version of the configuration',
    spec: SUCCESS,
    async run(ctx) {
      const exchange = await ctx.plainAdd()
      const { documents, noise } = readStdout(exchange.stdout)
      const why = 'Runtimes parse all of stdout: the pod does not start.'
      const result = resultIn(exchange)
      if (exchange.exitCode === 0 && result === undefined) {
        const summary = `ADD succeeds without a result: ${JSON.stringify(exchange.stdout.slice(0, 100))}`
        return ctx.violation(summary, why, exchange)
      }
      if ((await ctx.working()) === undefined || result === undefined) return
      if (documents.length !== 1) ctx.violation(`ADD prints ${documents.length} JSON documents`, why, exchange)
      if (noise !== '') ctx.violation(`ADD prints something else on stdout: ${JSON.stringify(noise)}`, why, exchange)
      if (!isInVersion(result, ctx.version)) {
        const summary = `the result has cniVersion ${JSON.stringify(result.cniVersion)}, the configuration ${ctx.version}`
        ctx.violation(summary, 'The result has to be in the version of the configuration.', exchange)
      }
      decoded(ctx, exchange, result)
    },
  },
  {
    id: 'add.truth',
    group: 'results',
    title: 'What the result says is in the pod is there',
    spec: SUCCESS,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const exchange = await addFirst(ctx, attached)
      if (exchange === undefined) return
      const result = decoded(ctx, exchange, resultIn(exchange))
      if (result !== undefined) await compareWithPod(ctx, attached.pod, exchange, result)
      await attached.del()
    },
  },
  {
    id: 'add.exists',
    group: 'results',
    title: 'ADD fails when the interface it would make exists already',
    spec: 'SPEC 1.1.0, section 2, "ADD"',
    async run(ctx) {
      const working = await ctx.working()
      if (working === undefined) return
      const attached = await ctx.attach()
      const { pod } = attached
      const { interfaces } = working.result
      const own = Array.isArray(interfaces) && interfaces.some((each) => isObject(each) && each.name === pod.ifName)
      if (ctx.chained || !own) return ctx.skip(`its result lists no interface ${pod.ifName} of its own`)
      using rtnl = await openRtnl(pod.netns)
      await rtnl.addLink({ kind: 'bridge', name: pod.ifName })
      const why =
        '"If the requested interface name already exists in the container, the CNI plugin MUST return with an error."'
      expectFailure(ctx, await attached.add(), { what: `ADD with ${pod.ifName} in the pod`, why })
      if ((await rtnl.getLink(pod.ifName))?.kind !== 'bridge') {
        ctx.violation(`a failed ADD removed the ${pod.ifName} that was there`, 'It belongs to another plugin.')
      }
    },
  },
]

/** Decodes the plugin's result into the model of version 1.1.0. Reports an invalid result. */
export function decoded(ctx: Context, exchange: Exchange, document: unknown): Result | undefined {
  try {
    return decodeResult(document, { version: ctx.version })
  } catch (error) {
    const text = messageOf(error)
    ctx.violation(`the result cannot be read: ${text}`, 'The runtime refuses it, and the pod does not start.', exchange)
    return undefined
  }
}

/** True if a result has the `cniVersion` of the request. In version 0.1.0 a result may omit `cniVersion`. */
export function isInVersion({ cniVersion }: JsonObject, version: string): boolean {
  return cniVersion === version || (version === '0.1.0' && cniVersion === undefined)
}
