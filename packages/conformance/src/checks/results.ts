import { openRtnl } from '@cni/netns'
import { decodeResult, type Result } from '@cni/types'
import type { Attachment } from '../attachment.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import type { Exchange } from '../execution.ts'
import { readStdout } from '../judge/documents.ts'
import { expectFailure } from '../judge/expect-failure.ts'

const SUCCESS = 'SPEC 1.1.0, section 5, "Add Success"'

/** What ADD says. */
export const results: readonly Check[] = [
  {
    id: 'add.works',
    group: 'results',
    title: 'ADD with the given configuration succeeds',
    spec: 'SPEC 1.1.0, section 2, "ADD"',
    async run(ctx) {
      if ((await ctx.working()) !== undefined || !ctx.configured) return
      const failed = ctx.exchanges.find(({ env, exitCode }) => env.CNI_COMMAND === 'ADD' && exitCode !== 0)
      ctx.violation('ADD with the given configuration fails', 'Most checks build on an ADD that works.', failed)
    },
  },
  {
    id: 'add.document',
    group: 'results',
    title: 'ADD prints exactly one JSON document: a result in the version of the configuration',
    spec: SUCCESS,
    async run(ctx) {
      const working = await ctx.working()
      if (working === undefined) return
      const { exchange, result } = working
      const { documents, noise } = readStdout(exchange.stdout)
      const why = 'Runtimes parse all of stdout: the pod does not start.'
      if (documents.length !== 1) ctx.violation(`ADD prints ${documents.length} JSON documents`, why, exchange)
      if (noise !== '') ctx.violation(`ADD prints something else on stdout: ${JSON.stringify(noise)}`, why, exchange)
      if (result.cniVersion !== ctx.version) {
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
      const attachment = await ctx.attachment()
      const exchange = await attachment.add()
      const { documents } = readStdout(exchange.stdout)
      const result = exchange.exitCode === 0 ? decoded(ctx, exchange, documents[0]) : undefined
      if (result !== undefined) await compare(ctx, attachment, exchange, result)
      await attachment.del()
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
      const attachment = await ctx.attachment()
      const { pod } = attachment
      const names = (working.result.interfaces as Result['interfaces'] | undefined)?.map(({ name }) => name) ?? []
      if (ctx.chained || !names.includes(pod.ifName)) return ctx.skip(`it does not make the interface ${pod.ifName}`)
      using rtnl = await openRtnl(pod.netns)
      await rtnl.addLink({ kind: 'bridge', name: pod.ifName })
      const why =
        '"If the requested interface name already exists in the container, the CNI plugin MUST return with an error."'
      expectFailure(ctx, await attachment.add(), { what: `ADD with ${pod.ifName} in the pod`, why })
      if ((await rtnl.getLink(pod.ifName))?.kind !== 'bridge') {
        ctx.violation(`a failed ADD removed the ${pod.ifName} that was there`, 'It belongs to somebody else.')
      }
    },
  },
]

/** The result in the 1.1.0 model; reports one that is none. */
export function decoded(ctx: Context, exchange: Exchange, document: unknown): Result | undefined {
  try {
    return decodeResult(document, { version: ctx.version })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    ctx.violation(`the result cannot be read: ${text}`, 'The runtime refuses it, and the pod does not start.', exchange)
    return undefined
  }
}

async function compare(ctx: Context, { pod }: Attachment, exchange: Exchange, result: Result): Promise<void> {
  using rtnl = await openRtnl(pod.netns)
  const links = await rtnl.getLinks()
  const addresses = new Set((await rtnl.getAddresses()).map(({ cidr }) => cidr))
  const interfaces = result.interfaces ?? []
  const why = 'Runtimes, later plugins and CHECK take the result for the truth.'
  for (const { name, mac, sandbox } of interfaces) {
    if (sandbox !== pod.netns.path) continue
    const link = links.find((each) => each.name === name)
    if (link === undefined) ctx.violation(`the result lists the interface ${name}, the pod has none`, why, exchange)
    else if (mac && link.mac !== undefined && mac.toLowerCase() !== link.mac) {
      ctx.violation(`the result says ${name} has the address ${mac}, it has ${link.mac}`, why, exchange)
    }
  }
  for (const { address, interface: index } of result.ips ?? []) {
    if (index !== undefined && index >= interfaces.length) {
      ctx.violation(`ips: ${address} refers to interface ${index}, there are ${interfaces.length}`, why, exchange)
    }
    const inPod = index === undefined || index < 0 || interfaces[index]?.sandbox === pod.netns.path
    if (inPod && !addresses.has(address)) {
      ctx.advice(`the result lists the address ${address}, the pod does not have it`, why, exchange)
    }
  }
}
