import { resultIn } from '../attached-pod.ts'
import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { expectSuccess } from '../judge/expect-success.ts'
import type { Exchange } from '../model.ts'

const SPEC = 'SPEC 1.1.0, section 2, "Overview": the runtime executes a binary and waits for it to end'

/** Checks of the plugin's reaction to signals, and to a closed stdout or stderr. */
export const signals: readonly Check[] = [
  {
    id: 'signals.term',
    group: 'signals',
    title: 'SIGTERM ends it while it waits for stdin',
    spec: SPEC,
    async run(ctx) {
      const attached = await ctx.attach()
      const text = JSON.stringify(attached.conf('ADD'))
      const half = text.slice(0, Math.floor(text.length / 2))
      using input = await ctx.world.openStdin(half)
      let waited = false
      let ignored = false
      let timer: NodeJS.Timeout | undefined
      const grace = Math.min(ctx.timeout, 3000)
      const exchange = await attached.add({
        stdin: half,
        execution: {
          streams: { stdin: input.path },
          special: 'stdin stays open after half a configuration; SIGTERM',
          timeout: 2 * ctx.timeout + grace,
          async onStarted(kill, runs) {
            // Waits until the plugin reads stdin, because before that it may have no signal handler.
            waited = await input.beingRead(ctx.timeout, runs)
            kill('SIGTERM')
            timer = setTimeout(() => {
              ignored = true
              kill('SIGKILL')
            }, grace)
          },
        },
      })
      clearTimeout(timer)
      const why = 'A runtime that shuts down, or whose deadline has passed, has to wait, and kills it in the middle.'
      if (ignored) ctx.advice(`SIGTERM does not end it within ${grace / 1000} s`, why, exchange)
      else if (!waited) ctx.block('ADD did not wait for stdin')
      else if (exchange.exitCode === 0) ctx.advice('exit code 0 after SIGTERM', 'Nothing was done.', exchange)
    },
  },
  {
    id: 'signals.closed-stdout',
    group: 'signals',
    title: 'It ends when stdout has no reader, and DEL cleans up after it',
    spec: SPEC,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const streams = { stdout: await ctx.world.fifo() }
      const exchange = await attached.add({ execution: { streams, special: 'stdout has no reader' } })
      ended(ctx, exchange, 'stdout has no reader')
      const what = 'DEL after an ADD whose result was not read'
      expectSuccess(ctx, await attached.del({ conf: { prevResult: undefined } }), {
        what,
        why: 'A runtime that crashed sends DEL when it is back.',
      })
    },
  },
  {
    id: 'signals.closed-stderr',
    group: 'signals',
    title: 'It does its work when stderr has no reader',
    spec: SPEC,
    async run(ctx) {
      if ((await ctx.working()) === undefined) return
      const attached = await ctx.attach()
      const streams = { stderr: await ctx.world.fifo() }
      const exchange = await attached.add({ execution: { streams, special: 'stderr has no reader' } })
      ended(ctx, exchange, 'stderr has no reader')
      const why = 'A log that cannot be written should not stop a pod.'
      if (resultIn(exchange) === undefined && !exchange.timedOut) {
        ctx.advice('ADD fails when stderr has no reader', why, exchange)
      }
      await attached.del()
    },
  },
]

function ended(ctx: Context, exchange: Exchange, when: string): void {
  if (!exchange.timedOut) return
  const why = 'Each such process stays for ever.'
  ctx.violation(`does not end within ${ctx.timeout / 1000} s when ${when}`, why, exchange)
}
