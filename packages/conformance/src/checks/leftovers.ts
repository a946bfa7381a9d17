import { type AttachedPod, from } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { addFirst } from '../judge/add-first.ts'
import { blockIfUnreadable, settled } from '../judge/remains.ts'
import { shorten } from '../judge/shorten.ts'
import type { Pod } from '../world/pod.ts'
import { difference, type Snapshot, takeSnapshot } from '../world/snapshot.ts'

const DEL = 'SPEC 1.1.0, section 2, "DEL": undo any modifications applied in ADD'
const GC = 'SPEC 1.1.0, section 2, "GC"'

/** Checks of files that the plugin leaves on the node after DEL: address leases, caches, sockets. */
export const leftovers: readonly Check[] = [
  {
    id: 'isolation.state',
    group: 'isolation',
    title: 'A pod that comes and goes leaves nothing in /run and /var/lib/cni',
    spec: DEL,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const { state } = ctx.world
      // Ignores files of the first pod, because the plugin may create files that all pods share.
      const first = await addAndDelete(ctx)
      const once = state.files()
      const second = first && (await addAndDelete(ctx))
      if (second === undefined) return
      const left = newIn(state.files(), once)
      if (left.length > 0 && from(ctx.version, '1.1.0')) await second.run('GC')
      const now = state.files()
      const still = left.filter((path) => now.has(path))
      if (still.length > 0) {
        const why = 'It grows with every pod, until the disk or, below /run, the memory is full.'
        ctx.violation(`every pod leaves files: ${shorten(still)}`, why)
      } else if (left.length > 0) {
        ctx.advice(`only GC removes what DEL leaves: ${shorten(left)}`, 'Most runtimes never send GC.')
      }
      const naming = [...now].filter(([path, text]) => once.has(path) && text.includes(second.pod.id))
      if (naming.length > 0) {
        const summary = `the pod is still named in ${shorten(naming.map(([path]) => path))}`
        ctx.advice(summary, 'What is kept of every pod that is gone grows for ever.')
      }
      if (once.size > 0) ctx.note(`the first pod leaves ${shorten([...once.keys()])}`)
    },
  },
  {
    id: 'isolation.gc',
    group: 'isolation',
    title: 'GC removes what is left of pods that are gone, and nothing of the others',
    spec: GC,
    async run(ctx) {
      if (!from(ctx.version, '1.1.0')) return ctx.skip(`there is no GC in ${ctx.version}`)
      if ((await ctx.working()) === undefined) return
      blockIfUnreadable(ctx)
      // Adds and deletes a pod first, because the check ignores files that all pods share.
      if ((await addAndDelete(ctx)) === undefined) return
      const [alive, gone] = [await ctx.attach(), await ctx.attach()]
      const look = () => outside(ctx, [alive.pod, gone.pod])
      const before = await look()
      if ((await addFirst(ctx, alive)) === undefined) return
      const one = await look()
      if ((await addFirst(ctx, gone)) === undefined) return
      const ofTheLiving = new Set(difference(before, one).added)
      const ofTheGone = new Set(difference(one, await look()).added)
      if (ofTheGone.size === 0) return ctx.skip('ADD does nothing outside of the pod')
      await gone.pod[Symbol.asyncDispose]()

      const valid = [{ containerID: alive.pod.id, ifname: alive.pod.ifName }]
      const conf = { 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid }
      const exchange = await alive.run('GC', { conf })
      if (exchange.exitCode !== 0) return ctx.skip('GC fails (see stdout.gc)')
      const left = await settled(async () => difference(one, await look()).added.filter((line) => ofTheGone.has(line)))
      const lost = difference(one, await look()).removed.filter((line) => ofTheLiving.has(line))
      if (lost.length > 0) {
        const why = 'It is in cni.dev/valid-attachments: its network breaks while it runs.'
        ctx.violation(`GC takes away what a valid attachment has: ${shorten(lost)}`, why, exchange)
      }
      if (left.length > 0) {
        const why = 'What a runtime that crashed has forgotten is only ever collected here.'
        ctx.advice(`GC leaves of a pod that is gone: ${shorten(left)}`, why, exchange)
      }
      await alive.del()
    },
  },
]

/** Runs ADD and DEL of the plugin for a new pod. Returns `undefined` if the ADD fails. */
async function addAndDelete(ctx: Context): Promise<AttachedPod | undefined> {
  const attached = await ctx.attach()
  if ((await addFirst(ctx, attached)) === undefined) return undefined
  await attached.del()
  return attached
}

/** Snapshot of the node's network state and of the plugin's files. */
async function outside({ world }: Context, pods: readonly Pod[]): Promise<Snapshot> {
  const { lines, sysctls } = await takeSnapshot(world.node)
  const files = [...world.state.files()].flatMap(([path, text]) => [
    `file ${path}`,
    ...pods.filter(({ id }) => text.includes(id)).map(({ id }) => `file ${path} names ${id}`),
  ])
  return { lines: [...lines, ...files], sysctls }
}

/** Paths of files that plugins have created on the node since an earlier snapshot. */
function newIn(now: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): string[] {
  return [...now.keys()].filter((path) => !before.has(path))
}
