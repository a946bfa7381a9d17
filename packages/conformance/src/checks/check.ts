import { findExecutable } from '@cni/host'
import type { Netns } from '@cni/netns'
import { from } from '../attachment.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { expectFailure } from '../judge/expect-failure.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import { difference, takeSnapshot } from '../world/snapshot.ts'
import { filters, type Tampering, tamperings } from '../world/tamper.ts'

const CHECK = 'SPEC 1.1.0, section 2, "CHECK"'

/** CHECK, right after ADD and after somebody undid what ADD did. */
export const check: readonly Check[] = [
  {
    id: 'check.after-add',
    group: 'check',
    title: 'CHECK succeeds right after ADD',
    spec: CHECK,
    async run(ctx) {
      if (!hasCheck(ctx) || (await ctx.working()) === undefined) return
      const attachment = await ctx.attachment()
      await attachment.add()
      const why = '"The plugin must handle a CHECK call immediately after an ADD."'
      expectSuccess(ctx, await attachment.check(), { what: 'CHECK after ADD', why })
      expectSuccess(ctx, await attachment.check(), { what: 'CHECK, the second time', why })
      await attachment.del()
    },
  },
  {
    id: 'check.tampered',
    group: 'check',
    title: 'CHECK fails after somebody undid what ADD did',
    spec: `${CHECK}: must return an error if something the plugin created is missing or in an invalid state`,
    async run(ctx) {
      if (!hasCheck(ctx) || (await ctx.working()) === undefined) return
      const ways = await waysToTamper(ctx)
      if (ways.length === 0) {
        const tools = findExecutable('nft') === undefined ? '; there is no nft to look with' : ''
        return ctx.skip(`ADD changed nothing observable${tools}`)
      }
      for (const { where, tampering } of ways) {
        const attachment = await ctx.attachment()
        await attachment.add()
        const plain = await attachment.check()
        if (plain.exitCode !== 0) return ctx.skip('CHECK fails even before (see check.after-add)')
        await tampering.apply(where === 'pod' ? attachment.pod.netns : ctx.world.node)
        const on = where === 'pod' ? 'in the pod' : 'on the node'
        const why = 'CHECK exists to find this; a broken pod is reported as healthy.'
        const exchange = await attachment.check()
        expectFailure(ctx, exchange, { what: `CHECK after somebody ${tampering.text} ${on}`, why })
        await attachment.del()
      }
    },
  },
]

async function waysToTamper(ctx: Context): Promise<Array<{ where: 'pod' | 'node'; tampering: Tampering }>> {
  const attachment = await ctx.attachment()
  const both = async () => {
    const take = (where: Netns) => takeSnapshot(where)
    return { pod: await take(attachment.pod.netns), node: await take(ctx.world.node) }
  }
  const before = await both()
  await attachment.add()
  const after = await both()
  await attachment.del()
  return [
    ...tamperings(before.pod, after.pod).map((tampering) => ({ where: 'pod' as const, tampering })),
    ...filters(difference(before.node, after.node)).map((tampering) => ({ where: 'node' as const, tampering })),
  ]
}

/** Skips for plugins that have no CHECK. */
export function hasCheck(ctx: Context): boolean {
  const has = from(ctx.version, '0.4.0')
  if (!has) ctx.skip(`there is no CHECK in ${ctx.version}, the newest version it claims`)
  return has
}
