import { CNI_VERSIONS, gte, isCniVersion, isObject, type JsonObject } from '@cni/types'
import { from, resultIn } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { onlyDocument } from '../exchange/documents.ts'
import { expectFailure } from '../judge/expect-failure.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import type { Exchange } from '../model.ts'
import { call, each } from './environment.ts'
import { isInVersion } from './results.ts'

const VERSION = 'SPEC 1.1.0, section 2, "VERSION", and section 5, "Version"'

/** Checks of the plugin's answer to VERSION, and of `cniVersion` in configurations and results. */
export const versions: readonly Check[] = [
  {
    id: 'version.probe',
    group: 'versions',
    title: 'VERSION prints one document with cniVersion and supportedVersions',
    spec: VERSION,
    async run(ctx) {
      const exchange = await ctx.execute({
        env: { CNI_COMMAND: 'VERSION', CNI_NETNS: 'dummy', CNI_IFNAME: 'dummy', CNI_PATH: 'dummy' },
        stdin: { cniVersion: '1.0.0' },
      })
      judgeVersion(ctx, exchange, 'VERSION as podman sends it')
    },
  },
  {
    id: 'version.bare',
    group: 'versions',
    title: 'VERSION needs nothing but CNI_COMMAND',
    spec: VERSION,
    async run(ctx) {
      const exchange = await ctx.execute({ env: { CNI_COMMAND: 'VERSION' } })
      judgeVersion(ctx, exchange, 'VERSION without stdin and without other variables')
    },
  },
  {
    id: 'version.open-stdin',
    group: 'versions',
    title: 'VERSION does not wait for the end of stdin',
    spec: VERSION,
    async run(ctx) {
      const path = await ctx.world.fifo()
      const timeout = Math.min(ctx.timeout, 5000)
      const exchange = await ctx.execute({
        env: { CNI_COMMAND: 'VERSION' },
        streams: { stdin: path },
        special: 'stdin is open and never at its end',
        timeout,
      })
      if (!exchange.timedOut) return judgeVersion(ctx, exchange, 'VERSION with an open stdin')
      const why = 'The reference implementation never reads stdin here, and tools that probe for versions rely on it.'
      ctx.violation(`VERSION waits for stdin to end: no answer within ${timeout / 1000} s`, why, exchange)
    },
  },
  {
    id: 'version.claims',
    group: 'versions',
    title: 'ADD and DEL work in every version it claims, and the result is in that version',
    spec: 'SPEC 1.1.0, section 1: cniVersion; section 5, "Add Success": cniVersion',
    async run(ctx) {
      if (ctx.supportedVersions === undefined) return ctx.block('VERSION does not say which versions are supported')
      const claimed = [...new Set(ctx.supportedVersions)]
      const unknown = claimed.filter((version) => !isCniVersion(version))
      if (unknown.length > 0) {
        const summary = `claims versions that do not exist: ${unknown.map((version) => JSON.stringify(version)).join(', ')}`
        ctx.advice(summary, 'Its behaviour for a configuration of such a version is unknown.')
      }
      const working = await ctx.working()
      if (working === undefined) return
      const old = !ctx.chained && hasAddress(working.result)
      // Skips versions before 0.3.0 for chained plugins and for plugins without addresses.
      const usable = claimed.filter((version) => isCniVersion(version) && (old || from(version, '0.3.0')))
      if (usable.length === 0) return ctx.block('VERSION claims no version that such a plugin could be executed with')
      // Tests versions in sequence, because only one pod can have a configured fixed address.
      for (const version of usable) {
        const attached = await ctx.attach(version)
        const added = await attached.add()
        const why = 'VERSION claims it, and runtimes choose a version by that.'
        if (expectSuccess(ctx, added, { what: `ADD with cniVersion ${version}`, why })) {
          const result = resultIn(added)
          if (result !== undefined && !isInVersion(result, version)) {
            const summary = `ADD with cniVersion ${version}: the result is in ${JSON.stringify(result.cniVersion)}`
            ctx.violation(summary, 'The result has to be in the version of the configuration.', added)
          }
        }
        expectSuccess(ctx, await attached.del(), { what: `DEL with cniVersion ${version}`, why })
      }
    },
  },
  {
    id: 'version.refuses',
    group: 'versions',
    title: 'Refuses versions it does not claim with code 1',
    spec: 'SPEC 1.1.0, section 5, "Error": code 1',
    async run(ctx) {
      const claimed = ctx.supportedVersions
      // Tests only non-existent versions if VERSION fails, because the plugin's versions are unknown.
      const known = claimed === undefined ? [] : CNI_VERSIONS
      const vectors = ['9.9.9', '1.2.0', '1.0', 'abc', ...known].filter((version) => !claimed?.includes(version))
      await each(vectors, async (version) => {
        const exchange = await call(ctx, 'ADD', { conf: { cniVersion: version } })
        const why = 'It cannot know what a configuration of that version means, or how its result must look.'
        // A plugin may also report a decoding error (code 6) for the version "abc".
        const codes = version === 'abc' ? [1, 6] : [1]
        expectFailure(ctx, exchange, { what: `ADD with cniVersion ${JSON.stringify(version)}`, why, codes })
      })
      const exchange = await call(ctx, 'DEL', { conf: { cniVersion: '9.9.9' } })
      const why = 'It cannot know what it is asked to delete.'
      expectFailure(ctx, exchange, { what: 'DEL with cniVersion "9.9.9"', why, codes: [1], codeSeverity: 'advice' })
    },
  },
  {
    id: 'version.gates',
    group: 'versions',
    title: 'CHECK exists from 0.4.0 on, GC and STATUS from 1.1.0 on; older configurations are refused',
    spec: 'SPEC 1.1.0, section 2, "CNI operations"; SPEC 0.4.0 for CHECK',
    async run(ctx) {
      const vectors = [
        { verb: 'CHECK', version: '0.3.1', codes: [1, 4] },
        // A plugin without GC and STATUS may report an unknown command (code 4).
        { verb: 'GC', version: '1.0.0', codes: [1, 3, 4] },
        { verb: 'STATUS', version: '1.0.0', codes: [1, 3, 4] },
      ] as const
      await each(vectors, async ({ verb, version, codes }) => {
        const exchange = await call(ctx, verb, {}, version)
        const what = `${verb} with cniVersion ${version}`
        const why = `${verb} does not exist in ${version}.`
        expectFailure(ctx, exchange, { what, why, codes, codeSeverity: 'advice' })
      })
    },
  },
]

/** True if a plugin's result, of any CNI version, contains an address. */
function hasAddress({ ips, ip4, ip6 }: JsonObject): boolean {
  return (Array.isArray(ips) && ips.length > 0) || isObject(ip4) || isObject(ip6)
}

function judgeVersion(ctx: Context, exchange: Exchange, what: string): void {
  if (!expectSuccess(ctx, exchange, { what, why: 'Runtimes ask before they choose a version.' })) return
  const document = onlyDocument(exchange.stdout)
  const why = 'Runtimes parse all of stdout.'
  if (document === undefined) {
    ctx.violation(`${what}: stdout is not one JSON object`, why, exchange)
    return
  }
  if (!isVersion(document.cniVersion)) {
    ctx.violation(`${what}: cniVersion is ${JSON.stringify(document.cniVersion)}`, 'It has to be a version.', exchange)
  }
  const { supportedVersions } = document
  if (!Array.isArray(supportedVersions) || supportedVersions.length === 0 || !supportedVersions.every(isVersion)) {
    const summary = `${what}: supportedVersions is ${JSON.stringify(supportedVersions)}`
    ctx.violation(summary, 'It has to be a list of versions.', exchange)
  }
}

function isVersion(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false
  try {
    gte(value, value)
    return true
  } catch {
    // Ignores an invalid result of the plugin, because another check reports it.
    return false
  }
}
