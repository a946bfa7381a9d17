import type { Netns } from '@cni/netns'
import { from } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { addFirst } from '../judge/add-first.ts'
import { expectFailure } from '../judge/expect-failure.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import { blockIfUnreadable } from '../judge/remains.ts'
import { shorten } from '../judge/shorten.ts'
import { type Difference, difference, takeSnapshot } from '../world/snapshot.ts'
import { filters, type Tampering, tamperings } from '../world/tamper.ts'

const CHECK = 'SPEC 1.1.0, section 2, "CHECK"'

/** Checks of the plugin's CHECK: directly after ADD, and after the suite has reverted a change of ADD. */
export const check: readonly Check[] = [
  {
    id: 'check.after-add',
    group: 'check',
    title: 'CHECK succeeds right after ADD',
    spec: CHECK,
    async run(ctx) {
      if (!hasCheck(ctx) || (await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      if ((await addFirst(ctx, attached)) === undefined) return
      const why = '"The plugin must handle a CHECK call immediately after an ADD."'
      expectSuccess(ctx, await attached.check(), { what: 'CHECK after ADD', why })
      expectSuccess(ctx, await attached.check(), { what: 'CHECK, the second time', why })
      await attached.del()
    },
  },
  {
    id: 'check.tampered',
    group: 'check',
    title: 'CHECK fails after another program undid what ADD did',
    spec: `${CHECK}: must return an error if something the plugin created is missing or in an invalid state`,
    async run(ctx) {
      if (!hasCheck(ctx) || (await ctx.working()) === undefined) return
      blockIfUnreadable(ctx)
      const found = await tamperingsOfAdd(ctx)
      if (found === undefined) return
      if (found.tamperings.length === 0) {
        return ctx.skip(
          found.seen.length > 0
            ? `ADD changed only what is not undone here: ${shorten(found.seen)}`
            : 'ADD changed nothing observable',
        )
      }
      for (const { where, tampering } of found.tamperings) {
        const attached = await ctx.attach()
        if ((await addFirst(ctx, attached)) === undefined) return
        const plain = await attached.check()
        if (plain.exitCode !== 0) return ctx.block('CHECK fails even before (see check.after-add)')
        await tampering.apply(where === 'pod' ? attached.pod.netns : ctx.world.node)
        const on = where === 'pod' ? 'in the pod' : 'on the node'
        const why = 'CHECK exists to find this; a broken pod is reported as healthy.'
        const exchange = await attached.check()
        expectFailure(ctx, exchange, { what: `CHECK after another program ${tampering.text} ${on}`, why })
        await attached.del()
      }
    },
  },
]

interface AddedState {
  /** Descriptions of all changes that ADD made in the pod and on the node. */
  readonly seen: readonly string[]
  readonly tamperings: ReadonlyArray<{ readonly where: 'pod' | 'node'; readonly tampering: Tampering }>
}

async function tamperingsOfAdd(ctx: Context): Promise<AddedState | undefined> {
  const attached = await ctx.attach()
  const both = async () => {
    const take = (where: Netns) => takeSnapshot(where)
    return { pod: await take(attached.pod.netns), node: await take(ctx.world.node) }
  }
  const files = new Set(ctx.world.state.files().keys())
  const before = await both()
  if ((await addFirst(ctx, attached)) === undefined) return undefined
  const after = await both()
  const newFiles = [...ctx.world.state.files().keys()].filter((path) => !files.has(path) && !path.endsWith('/'))
  await attached.del()
  const [inPod, onNode] = [difference(before.pod, after.pod), difference(before.node, after.node)]
  return {
    seen: [
      ...describeDifference(inPod, 'in the pod'),
      ...describeDifference(onNode, 'on the node'),
      ...newFiles.map((path) => `file ${path}`),
    ],
    tamperings: [
      ...tamperings(before.pod, after.pod).map((tampering) => ({ where: 'pod' as const, tampering })),
      ...filters(onNode).map((tampering) => ({ where: 'node' as const, tampering })),
    ],
  }
}

const describeDifference = ({ added, removed }: Difference, where: string): string[] => [
  ...added.map((line) => `${line} ${where}`),
  ...removed.map((line) => `no ${line} ${where}`),
]

/** Returns true if the CNI version has CHECK. Otherwise marks the check as skipped. */
export function hasCheck(ctx: Context): boolean {
  const has = from(ctx.version, '0.4.0')
  if (!has) ctx.skip(`there is no CHECK in ${ctx.version}, the newest version it claims`)
  return has
}
