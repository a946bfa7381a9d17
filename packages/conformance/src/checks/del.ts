import type { Check } from '../check.ts'
import { addFirst } from '../judge/add-first.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import { blockIfUnreadable, remains } from '../judge/remains.ts'

const DEL = 'SPEC 1.1.0, section 2, "DEL"'
const MISSING =
  '"Plugins MUST accept multiple DEL calls for the same (CNI_CONTAINERID, CNI_IFNAME) pair, and return success if the interface in question, or any modifications added, are missing."'

/** Checks of the plugin's DEL: after an ADD, twice, and for a container that was never added. */
export const del: readonly Check[] = [
  {
    id: 'del.idempotent',
    group: 'del',
    title: 'DEL succeeds, and succeeds again',
    spec: DEL,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      if ((await addFirst(ctx, attached)) === undefined) return
      expectSuccess(ctx, await attached.del(), { what: 'DEL after ADD', why: 'The pod cannot be deleted.' })
      expectSuccess(ctx, await attached.del(), { what: 'DEL, the second time', why: MISSING })
      const third = await attached.del({ conf: { prevResult: undefined }, env: { CNI_NETNS: '' } })
      const why = 'containerd repeats DEL like this until it succeeds.'
      expectSuccess(ctx, third, { what: 'DEL, the third time, without netns and prevResult', why })
    },
  },
  {
    id: 'del.without-add',
    group: 'del',
    title: 'DEL without a previous ADD succeeds',
    spec: DEL,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const exchange = await attached.del({ conf: { prevResult: undefined } })
      expectSuccess(ctx, exchange, { what: 'DEL without ADD', why: MISSING })
    },
  },
  {
    id: 'del.without-netns',
    group: 'del',
    title: 'DEL succeeds without CNI_NETNS',
    spec: `${DEL}: CNI_NETNS is optional`,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const why = 'CNI_NETNS is optional for DEL; containerd leaves it empty when the namespace is gone.'
      for (const [what, value] of [
        ['without CNI_NETNS', undefined],
        ['with an empty CNI_NETNS', ''],
      ] as const) {
        const attached = await ctx.attach()
        if ((await addFirst(ctx, attached)) === undefined) return
        expectSuccess(ctx, await attached.del({ env: { CNI_NETNS: value } }), { what: `DEL ${what}`, why })
      }
    },
  },
  {
    id: 'del.netns-gone',
    group: 'del',
    title: 'DEL succeeds when the namespace is gone',
    spec: DEL,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      if ((await addFirst(ctx, attached)) === undefined) return
      await attached.pod[Symbol.asyncDispose]()
      const why = 'After a reboot no namespace is there, and no pod could ever be deleted.'
      expectSuccess(ctx, await attached.del(), { what: 'DEL with the path of a namespace that is gone', why })
    },
  },
  {
    id: 'del.without-prev-result',
    group: 'del',
    title: 'DEL without prevResult succeeds and still undoes ADD',
    spec: DEL,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      blockIfUnreadable(ctx)
      const attached = await ctx.attach()
      const left = await remains(attached, async () => {
        if ((await addFirst(ctx, attached)) === undefined) return
        const exchange = await attached.del({ conf: { prevResult: undefined } })
        const why = 'After a failed ADD, and when its cache is lost, the runtime has none.'
        expectSuccess(ctx, exchange, { what: 'DEL without prevResult', why })
      })
      if (left.length > 0) {
        ctx.advice(`DEL without prevResult leaves in the pod: ${left.join('; ')}`, 'No other program removes it.')
      }
    },
  },
  {
    id: 'del.after-failed-add',
    group: 'del',
    title: 'DEL after a failed ADD succeeds',
    spec: `${DEL}; section 3, "Attachments"`,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const env = { CNI_NETNS: '/run/netns/conformance-not-there' }
      const added = await attached.add({ env })
      if (added.exitCode === 0) ctx.note('ADD succeeds with a namespace that does not exist')
      const exchange = await attached.del({ env, conf: { prevResult: undefined } })
      const why = 'Runtimes send DEL after a failed ADD; when it fails too, the pod hangs in deletion.'
      expectSuccess(ctx, exchange, { what: 'DEL after a failed ADD', why })
    },
  },
]
