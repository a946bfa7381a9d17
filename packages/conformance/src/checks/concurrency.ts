import { decodeResult } from '@cni/types'
import { type AttachedPod, resultIn } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { addressesAskedFor, bare } from '../judge/asked-for.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import type { Exchange } from '../model.ts'

const PODS = 8

/** Checks in which the suite runs the plugin for several pods at the same time. */
export const concurrency: readonly Check[] = [
  {
    id: 'concurrency.pods',
    group: 'concurrency',
    title: `${PODS} pods at once are added and deleted like one`,
    spec: 'SPEC 1.1.0, section 3, "Lifecycle & Ordering": different containers may be invoked in parallel',
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const pods = await Promise.all(Array.from({ length: PODS }, () => ctx.attach()))
      const added = await Promise.all(pods.map((attached) => attached.add()))
      const asked = ctx.chained ? new Set<string>() : askedFor(pods[0], added[0])
      const worked = added.filter((exchange) => resultIn(exchange) !== undefined)
      const refused = added.filter(({ exitCode, timedOut }) => exitCode !== 0 && !timedOut)
      if (asked.size > 0 && worked.length === 1 && refused.length === PODS - 1) {
        ctx.skip('the configuration asks for an address that one pod at a time can have')
      } else {
        const why = 'A node that starts runs many at once; what works alone fails at random.'
        for (const exchange of added) expectSuccess(ctx, exchange, { what: `one of ${PODS} ADDs at once`, why })
      }
      const addresses = added.flatMap((exchange) => addressesIn(resultIn(exchange), ctx.version))
      if (!ctx.chained) judgeAddresses(ctx, asked, addresses)
      const deleted = await Promise.all(pods.map((attached) => attached.del()))
      const why = 'A node that drains runs many at once; what works alone fails at random.'
      for (const exchange of deleted) expectSuccess(ctx, exchange, { what: `one of ${PODS} DELs at once`, why })
    },
  },
]

function askedFor(pod: AttachedPod | undefined, added: Exchange | undefined): ReadonlySet<string> {
  return addressesAskedFor(pod?.conf('ADD') ?? {}, added?.env.CNI_ARGS)
}

function judgeAddresses(ctx: Context, asked: ReadonlySet<string>, addresses: readonly string[]): void {
  // Finds an address that two pods share. Ignores loopback addresses, which every pod has.
  const shared = addresses.filter(
    (address, index) => addresses.indexOf(address) !== index && !/^(127\.|::1\/)/.test(address),
  )
  const twice = shared.find((address) => !asked.has(bare(address) ?? ''))
  if (twice !== undefined) {
    ctx.violation(`two of ${PODS} pods got the address ${twice}`, 'Neither of them can be reached.')
  } else if (shared[0] !== undefined) {
    ctx.note(`all pods got the address ${shared[0]}, as the configuration asks for it`)
  }
}

function addressesIn(result: unknown, version: string): string[] {
  try {
    return (decodeResult(result, { version }).ips ?? []).map(({ address }) => address)
  } catch {
    // Treats an invalid result as a result without addresses, because the check `add.document` reports the error.
    return []
  }
}
