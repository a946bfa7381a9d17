import { decodeResult } from '@cni/types'
import { resultIn } from '../attachment.ts'
import type { Check } from '../check.ts'
import { expectSuccess } from '../judge/expect-success.ts'

const PODS = 8

/** Several pods at once, as a node starts them. */
export const concurrency: readonly Check[] = [
  {
    id: 'concurrency.pods',
    group: 'concurrency',
    title: `${PODS} pods at once are added and deleted like one`,
    spec: 'SPEC 1.1.0, section 3, "Lifecycle & Ordering": different containers may be invoked in parallel',
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const pods = await Promise.all(Array.from({ length: PODS }, () => ctx.attachment()))
      const added = await Promise.all(pods.map((attachment) => attachment.add()))
      const why = 'A node that starts runs many at once; what works alone fails at random.'
      for (const exchange of added) expectSuccess(ctx, exchange, { what: `one of ${PODS} ADDs at once`, why })
      if (!ctx.chained) {
        const addresses = added.flatMap((exchange) => addressesIn(resultIn(exchange), ctx.version))
        const twice = addresses.find((address, index) => addresses.indexOf(address) !== index)
        // An interface that every pod has, such as lo, has the same address everywhere.
        if (twice !== undefined && !/^(127\.|::1\/)/.test(twice)) {
          ctx.violation(`two of ${PODS} pods got the address ${twice}`, 'Neither of them can be reached.')
        }
      }
      const deleted = await Promise.all(pods.map((attachment) => attachment.del()))
      for (const exchange of deleted) expectSuccess(ctx, exchange, { what: `one of ${PODS} DELs at once`, why })
    },
  },
]

function addressesIn(result: unknown, version: string): string[] {
  try {
    return (decodeResult(result, { version }).ips ?? []).map(({ address }) => address)
  } catch {
    // add.document says what is wrong with it
    return []
  }
}
