import { from } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { isErrorDocument, readStdout } from '../exchange/documents.ts'
import { addFirst } from '../judge/add-first.ts'
import { failureText } from '../judge/expect-success.ts'
import type { Exchange } from '../model.ts'

/** Checks that the plugin prints nothing to stdout for calls that have no result, such as DEL. */
export const silence: readonly Check[] = [
  {
    id: 'stdout.del',
    group: 'stdout',
    title: 'A DEL that succeeds prints nothing',
    spec: 'SPEC 1.1.0, section 2, "DEL", and section 5',
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      if ((await addFirst(ctx, attached)) === undefined) return
      silent(ctx, await attached.del(), 'DEL')
    },
  },
  {
    id: 'stdout.check',
    group: 'stdout',
    title: 'A CHECK that succeeds prints nothing',
    spec: 'SPEC 1.1.0, section 2, "CHECK": "The plugin must return either nothing or an error."',
    async run(ctx) {
      if (!from(ctx.version, '0.4.0')) return ctx.skip(`there is no CHECK in ${ctx.version}`)
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      if ((await addFirst(ctx, attached)) === undefined) return
      silent(ctx, await attached.check(), 'CHECK')
      await attached.del()
    },
  },
  {
    id: 'stdout.status',
    group: 'stdout',
    title: 'STATUS prints nothing when the plugin is ready, and an error otherwise',
    spec: 'SPEC 1.1.0, section 2, "STATUS"',
    async run(ctx) {
      if (!from(ctx.version, '1.1.0')) return ctx.skip(`there is no STATUS in ${ctx.version}`)
      const exchange = await (await ctx.attach()).run('STATUS')
      if (exchange.exitCode === 0) return silent(ctx, exchange, 'STATUS')
      ready(ctx, exchange)
    },
  },
  {
    id: 'stdout.gc',
    group: 'stdout',
    title: 'A GC that succeeds prints nothing',
    spec: 'SPEC 1.1.0, section 2, "GC": "No output on success"',
    async run(ctx) {
      if (!from(ctx.version, '1.1.0')) return ctx.skip(`there is no GC in ${ctx.version}`)
      const exchange = await (await ctx.attach()).run('GC')
      if (exchange.exitCode === 0) return silent(ctx, exchange, 'GC')
      ctx.advice(`GC ${failureText(exchange)}`, 'What a crashed runtime left is never collected.', exchange)
    },
  },
]

function silent(ctx: Context, exchange: Exchange, verb: string): void {
  if (exchange.exitCode !== 0) {
    ctx.block(`${verb} fails, another check says how`)
  } else if (exchange.stdout !== '') {
    const why = `stdout belongs to the protocol, and a ${verb} that succeeds says nothing there; logs go to stderr.`
    ctx.violation(`${verb} prints on stdout: ${JSON.stringify(exchange.stdout.slice(0, 100))}`, why, exchange)
  }
}

function ready(ctx: Context, exchange: Exchange): void {
  const document = readStdout(exchange.stdout).documents.find(isErrorDocument)
  const text = `STATUS ${failureText(exchange)}`
  if (document?.code === 50 || document?.code === 51) ctx.note(text)
  else ctx.advice(text, 'Codes 50 and 51 tell the runtime that it is not ready.', exchange)
}
