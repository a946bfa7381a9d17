import type { Verb } from '@cni/types'
import type { Changes } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { expectFailure } from '../judge/expect-failure.ts'
import { expectSuccess } from '../judge/expect-success.ts'

const PARAMETERS = 'SPEC 1.1.0, section 2, "Parameters"'
const REQUIRED: Readonly<Record<'ADD' | 'CHECK' | 'DEL', readonly string[]>> = {
  ADD: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'],
  CHECK: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'],
  DEL: ['CNI_CONTAINERID', 'CNI_IFNAME'],
}

/** Checks with missing, invalid and unusual environment variables. */
export const environment: readonly Check[] = [
  {
    id: 'env.missing',
    group: 'protocol',
    title: 'Fails with code 4 that names the variable when a required variable is missing or empty',
    spec: `${PARAMETERS} and "Error" (code 4)`,
    async run(ctx) {
      const vectors = (['ADD', 'CHECK', 'DEL'] as const).flatMap((verb) =>
        REQUIRED[verb].map((name) => ({ verb, name, empty: verb === 'DEL' })),
      )
      await each(vectors, async ({ verb, name, empty }) => {
        const exchange = await call(ctx, verb, { env: { [name]: empty ? '' : undefined } })
        const what = `${verb} ${empty ? 'with an empty' : 'without'} ${name}`
        expectFailure(ctx, exchange, { what, why: `${name} is required for ${verb}.`, codes: [4], names: name })
      })
    },
  },
  {
    id: 'env.no-command',
    group: 'protocol',
    title: 'Without CNI_COMMAND it fails with code 4, or says on stderr what it is',
    spec: PARAMETERS,
    async run(ctx) {
      const exchange = await call(ctx, 'ADD', { env: { CNI_COMMAND: undefined } })
      // Accepts an exit code 0 with empty stdout: the reference implementation then describes itself on stderr.
      if (exchange.exitCode === 0 && exchange.stdout === '') return
      const why = 'Without a command there is nothing to succeed with; a result would be taken for real.'
      expectFailure(ctx, exchange, { what: 'no CNI_COMMAND', why, codes: [4] })
    },
  },
  {
    id: 'env.container-id',
    group: 'protocol',
    title: 'Refuses container ids with other characters than letters, digits, "_", "." and "-" in their place',
    spec: `${PARAMETERS}: CNI_CONTAINERID`,
    async run(ctx) {
      const why = 'Ids become names of files, chains and interfaces; one with a slash leads elsewhere.'
      await each(['-abc', '.a', 'some-%%x', '../x', 'a b', 'abc\n'], async (id) => {
        const exchange = await call(ctx, 'ADD', { env: { CNI_CONTAINERID: id } })
        expectFailure(ctx, exchange, { what: `CNI_CONTAINERID=${JSON.stringify(id)}`, why, codes: [4] })
      })
    },
  },
  {
    id: 'env.container-id-accepted',
    group: 'protocol',
    title: 'Accepts every container id the specification allows',
    spec: `${PARAMETERS}: CNI_CONTAINERID`,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      // Adds pods in sequence, because only one pod can have a configured fixed address.
      for (const id of ['A._-', '0', 'f'.repeat(64)]) {
        const attached = await ctx.attach()
        const exchange = await attached.add({ env: { CNI_CONTAINERID: id } })
        const why = 'Runtimes choose the id.'
        expectSuccess(ctx, exchange, { what: `CNI_CONTAINERID=${JSON.stringify(id)}`, why })
        await attached.del({ env: { CNI_CONTAINERID: id } })
      }
    },
  },
  {
    id: 'env.if-name',
    group: 'protocol',
    title: 'Refuses interface names the kernel cannot have',
    spec: `${PARAMETERS}: CNI_IFNAME`,
    async run(ctx) {
      const why = '"If the plugin is unable to use this interface name, it must return an error."'
      await each(['0123456789abcdef', '.', '..', 'test/test', 'test:test', 'test test', 'a\tb'], async (name) => {
        const exchange = await call(ctx, 'ADD', { env: { CNI_IFNAME: name } })
        const what = `CNI_IFNAME=${JSON.stringify(name)}`
        expectFailure(ctx, exchange, { what, why, codes: [4], codeSeverity: 'advice' })
      })
    },
  },
  {
    id: 'env.unknown-command',
    group: 'protocol',
    title: 'Refuses commands it does not know, in exactly this spelling, with code 4',
    spec: `${PARAMETERS}: CNI_COMMAND`,
    async run(ctx) {
      const why = 'A runtime learns from this error that a verb is not supported.'
      await each(['NOPE', 'add', 'ADD '], async (command) => {
        const exchange = await call(ctx, 'ADD', { env: { CNI_COMMAND: command } })
        const what = `CNI_COMMAND=${JSON.stringify(command)}`
        expectFailure(ctx, exchange, { what, why, codes: [4] })
      })
    },
  },
  {
    id: 'env.kubernetes',
    group: 'protocol',
    title: 'Is not disturbed by what Kubernetes runtimes put into CNI_ARGS',
    spec: 'CONVENTIONS, "CNI_ARGS": IgnoreUnknown',
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const own = (await ctx.attach()).pod
      const args = `K8S_POD_UID=1-2;IgnoreUnknown=1;K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web;K8S_POD_INFRA_CONTAINER_ID=${own.id}`
      const exchange = await call(ctx, 'ADD', { env: { CNI_ARGS: args } })
      const why = 'containerd and CRI-O add these to every call, in random order.'
      expectSuccess(ctx, exchange, { what: `ADD with CNI_ARGS=${args}`, why })
    },
  },
]

/** Calls the plugin for a new pod, because a successful call must not affect the next call. */
export async function call(ctx: Context, verb: Verb, changes: Changes, version?: string) {
  const attached = await ctx.attach(version)
  return await attached.run(verb, changes)
}

/** Runs `body` for all test inputs in parallel. The suite limits the number of parallel plugin processes. */
export async function each<T>(vectors: readonly T[], body: (vector: T) => Promise<void>): Promise<void> {
  await Promise.all(vectors.map(body))
}
