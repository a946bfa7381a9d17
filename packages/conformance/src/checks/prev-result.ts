import { type Interface, isObject, type JsonObject, type Result } from '@cni/types'
import type { Check } from '../check.ts'
import { readStdout } from '../judge/documents.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import { decoded } from './results.ts'

const SPEC =
  'SPEC 1.1.0, section 5, "Add Success": plugins provided a prevResult must output it, with any modifications'
const WHY = 'The runtime and the plugins behind it see only what this plugin prints: what it drops is lost.'

/** What a chained plugin makes of the result before it. */
export const prevResult: readonly Check[] = [
  {
    id: 'prev-result.kept',
    group: 'results',
    title: 'A chained plugin passes prevResult on: nothing is lost',
    spec: SPEC,
    async run(ctx) {
      if (!ctx.chained) return ctx.skip('not a chained plugin')
      if ((await ctx.working()) === undefined) return
      const attachment = await ctx.attachment()
      const exchange = await attachment.add()
      const given = attachment.pod.prevResult
      if (!expectSuccess(ctx, exchange, { what: 'ADD', why: WHY }) || given === undefined) return
      const result = decoded(ctx, exchange, readStdout(exchange.stdout).documents.find(isObject))
      for (const lost of result === undefined ? [] : lostFrom(given, result)) {
        ctx.violation(`prevResult's ${lost} is not in the result`, WHY, exchange)
      }
      await attachment.del()
    },
  },
  {
    id: 'prev-result.version',
    group: 'results',
    title: 'The result of a chained plugin stays in the version of the configuration',
    spec: `${SPEC}; cniVersion`,
    async run(ctx) {
      if (!ctx.chained) return ctx.skip('not a chained plugin')
      if ((await ctx.working()) === undefined) return
      for (const version of ['1.0.0', '0.4.0'].filter((each) => ctx.supportedVersions?.includes(each))) {
        const attachment = await ctx.attachment(version)
        const exchange = await attachment.add()
        if (!expectSuccess(ctx, exchange, { what: `ADD with cniVersion ${version}`, why: WHY })) continue
        const result = readStdout(exchange.stdout).documents.find(isObject)
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
      if (!ctx.chained) return ctx.skip('not a chained plugin')
      if ((await ctx.working()) === undefined) return
      const attachment = await ctx.attachment()
      const { prevResult: given } = attachment.conf('ADD')
      if (!isObject(given)) return ctx.skip(`there is no prevResult in ${ctx.version}`)
      const exchange = await attachment.add({ conf: { prevResult: withUnknown(given) } })
      const why = 'A plugin of a newer version before this one may have said more than this one understands.'
      if (!expectSuccess(ctx, exchange, { what: 'ADD with unknown members in prevResult', why })) return
      const result = readStdout(exchange.stdout).documents.find(isObject)
      const inside =
        Array.isArray(result?.interfaces) && result.interfaces.some((each) => isObject(each) && UNKNOWN in each)
      const lost = [...(result && UNKNOWN in result ? [] : ['of the result']), ...(inside ? [] : ['of an interface'])]
      if (lost.length > 0) ctx.advice(`an unknown member ${lost.join(' and one ')} is lost`, why, exchange)
      await attachment.del()
    },
  },
]

const UNKNOWN = 'example.com/unknown'

function withUnknown(given: JsonObject): JsonObject {
  const interfaces = Array.isArray(given.interfaces) ? given.interfaces : []
  const marked = interfaces.map((each, index) => (index === 0 && isObject(each) ? { ...each, [UNKNOWN]: 1 } : each))
  return { ...given, [UNKNOWN]: { kept: true }, interfaces: marked }
}

/** A plugin may add to a result and change what it says about a thing; it may not drop a thing. */
function lostFrom(before: Result, after: Result): string[] {
  const nameOf = (result: Result, index: number | undefined) =>
    index === undefined || index < 0 ? undefined : result.interfaces?.[index]?.name
  const same = (one: Interface) => (other: Interface) => other.name === one.name && other.sandbox === one.sandbox
  const interfaces = (before.interfaces ?? [])
    .filter((each) => !after.interfaces?.some(same(each)))
    .map(({ name }) => `interface ${name}`)
  const ips = (before.ips ?? [])
    .filter(
      ({ address, gateway, interface: index }) =>
        !after.ips?.some(
          (other) =>
            other.address === address &&
            (other.gateway ?? '') === (gateway ?? '') &&
            nameOf(after, other.interface) === nameOf(before, index),
        ),
    )
    .map(({ address }) => `address ${address} with its gateway and interface`)
  const routes = (before.routes ?? [])
    .filter(({ dst, gw }) => !after.routes?.some((other) => other.dst === dst && (other.gw ?? '') === (gw ?? '')))
    .map(({ dst }) => `route to ${dst}`)
  const dns = (['nameservers', 'search'] as const)
    .filter((member) => before.dns?.[member]?.some((value) => !after.dns?.[member]?.includes(value)))
    .map((member) => `dns.${member}`)
  return [...interfaces, ...ips, ...routes, ...dns]
}
