import type { AttachedPod } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { addFirst } from '../judge/add-first.ts'
import { blockIfUnreadable, remains, settledDifference } from '../judge/remains.ts'
import { shorten } from '../judge/shorten.ts'
import { difference, type Snapshot, takeSnapshot } from '../world/snapshot.ts'

const DEL = 'SPEC 1.1.0, section 2, "DEL": delete the interface, or undo any modifications applied in ADD'

/** Checks of changes that the plugin leaves in the pod and on the node after DEL. */
export const isolation: readonly Check[] = [
  {
    id: 'isolation.node',
    group: 'isolation',
    title: 'A pod that comes and goes leaves nothing on the node',
    spec: DEL,
    async run(ctx) {
      blockIfUnreadable(ctx)
      const take = () => takeSnapshot(ctx.world.node)
      // Ignores changes of the first pod, because its ADD may create resources that all pods share.
      const before = await take()
      if ((await ctx.working()) === undefined) return
      const once = await settledDifference(before, take)
      const again = await leftOnNode(ctx)
      if (again.length > 0) {
        const summary = `every pod leaves something on the node: ${shorten(again)}`
        return ctx.violation(summary, 'It grows with every pod, until the node is slow or full.')
      }
      if (once.length === 0) return
      const summary = `the first pod leaves on the node: ${shorten(once)}`
      if (ctx.chained) ctx.advice(summary, 'A chained plugin has no bridge to keep: what is left has no owner.')
      else ctx.note(summary)
    },
  },
  {
    id: 'isolation.pod',
    group: 'isolation',
    title: 'After DEL the pod is as it was before ADD',
    spec: DEL,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      blockIfUnreadable(ctx)
      const attached = await ctx.attach()
      const left = await remains(attached, () => addAndDelete(ctx, attached))
      if (left.length === 0) return
      const summary = `DEL leaves in the pod: ${shorten(left)}`
      const why = 'The same namespace may be attached again, or have other attachments.'
      if (left.some((line) => line.startsWith('+ link '))) ctx.violation(summary, why)
      else ctx.advice(summary, why)
    },
  },
  {
    id: 'isolation.untouched',
    group: 'isolation',
    title: 'A chained plugin works in the pod, not on the node',
    spec: 'SPEC 1.1.0, section 2, "ADD": apply the configuration to the interface inside CNI_NETNS',
    async run(ctx) {
      if (!ctx.chained) return ctx.skip('not a chained plugin')
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      blockIfUnreadable(ctx)
      const before = await takeSnapshot(ctx.world.node)
      if ((await addFirst(ctx, attached)) === undefined) return
      const { added, removed } = difference(before, await takeSnapshot(ctx.world.node))
      await attached.del()
      const lines = [...added.map((line) => `+ ${line}`), ...removed.map((line) => `- ${line}`)]
      // Reports changes on the node as a note, because only the plugin's author can judge them.
      if (lines.length > 0) ctx.note(`while a pod lives the node has changed: ${shorten(lines)}`)
    },
  },
]

async function leftOnNode(ctx: Context): Promise<string[]> {
  const attached = await ctx.attach()
  const take = (): Promise<Snapshot> => takeSnapshot(ctx.world.node)
  const before = await take()
  await addAndDelete(ctx, attached)
  return await settledDifference(before, take)
}

async function addAndDelete(ctx: Context, attached: AttachedPod): Promise<void> {
  if ((await addFirst(ctx, attached)) !== undefined) await attached.del()
}
