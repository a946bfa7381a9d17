import type { Check } from '../check.ts'
import type { Context } from '../context.ts'
import { isErrorDocument, readStdout } from '../exchange/documents.ts'
import type { Exchange } from '../model.ts'
import { call } from './environment.ts'

const ERROR = 'SPEC 1.1.0, section 5, "Error"'
// CNI error codes below 100 that a plugin may report. The reference implementation uses code 8.
const RESERVED = [1, 2, 3, 4, 5, 6, 7, 8, 11, 50, 51]

const PROVOCATION = '{'
const NO_ERROR = 'no execution printed an error, so errors cannot be checked'

/** Checks of the error output of all plugin calls that failed during the run. These checks run last. */
export const errors: readonly Check[] = [
  {
    id: 'errors.document',
    group: 'errors',
    title: 'Every failure prints one error document with code and msg',
    spec: ERROR,
    usesEarlierCalls: true,
    async run(ctx) {
      await provoke(ctx)
      const failed = ctx.exchanges.filter(isFailure)
      if (failed.length === 0) return ctx.block(NO_ERROR)
      const silent = failed.filter(({ stdout }) => stdout.trim() === '')
      const noisy = failed.filter(
        ({ stdout }) => stdout.trim() !== '' && !readStdout(stdout).documents.some(isErrorDocument),
      )
      const several = failed.filter(({ stdout }) => {
        const { documents, noise } = readStdout(stdout)
        return documents.some(isErrorDocument) && (documents.length > 1 || noise !== '')
      })
      const why = 'The runtime can only report "netplugin failed", without a reason.'
      const [first] = silent
      if (first) ctx.violation(`${count(silent)} without output on stdout`, why, first)
      if (noisy[0]) ctx.violation(`${count(noisy)} with stdout that is not an error document`, why, noisy[0])
      if (several[0]) ctx.violation(`${count(several)} with more on stdout than one error document`, why, several[0])
    },
  },
  {
    id: 'errors.members',
    group: 'errors',
    title: 'Error documents have a code that is free or reserved for the case, a message, and cniVersion',
    spec: ERROR,
    usesEarlierCalls: true,
    async run(ctx) {
      await provoke(ctx)
      const documents = ctx.exchanges.filter(isFailure).flatMap((exchange) => {
        const document = readStdout(exchange.stdout).documents.find(isErrorDocument)
        return document === undefined ? [] : [{ exchange, document }]
      })
      if (documents.length === 0) return ctx.block(NO_ERROR)
      for (const { exchange, document } of documents) {
        const { code, msg } = document
        const number = typeof code === 'number' && Number.isInteger(code) && code >= 0 ? code : undefined
        const why = "Runtimes decode it into an unsigned number; 0 to 99 are the specification's."
        if (number === undefined || (number < 100 && !RESERVED.includes(number))) {
          return ctx.violation(`an error has the code ${JSON.stringify(code)}`, why, exchange)
        }
        if (typeof msg !== 'string' || msg === '') {
          return ctx.violation(`an error has the msg ${JSON.stringify(msg)}`, 'People see only this text.', exchange)
        }
      }
      const without = documents.find(({ document }) => document.cniVersion === undefined)
      const why = 'The specification lists it; the reference implementation leaves it out, so runtimes cope.'
      if (without) ctx.advice('errors have no cniVersion', why, without.exchange)
    },
  },
  {
    id: 'errors.exit-code',
    group: 'errors',
    title: 'An error document never comes with exit code 0',
    spec: `${ERROR}; section 2, "Overview"`,
    usesEarlierCalls: true,
    async run(ctx) {
      await provoke(ctx)
      if (ctx.exchanges.every(({ timedOut }) => timedOut)) return ctx.block('no execution ended by itself')
      const found = ctx.exchanges.filter(
        ({ exitCode, stdout }) => exitCode === 0 && readStdout(stdout).documents.some(isErrorDocument),
      )
      const why = 'The runtime takes it for success: the pod starts without its network.'
      if (found[0]) ctx.violation(`${count(found)} an error document and exit code 0`, why, found[0])
    },
  },
  {
    id: 'errors.crash',
    group: 'errors',
    title: 'It does not crash and does not hang',
    spec: `${ERROR}; section 2, "Overview"`,
    usesEarlierCalls: true,
    async run(ctx) {
      await provoke(ctx)
      const ordinary = ctx.exchanges.filter(({ special }) => special === undefined)
      const killed = ordinary.filter(({ signal, timedOut }) => signal !== null && !timedOut)
      if (killed[0]) {
        ctx.violation(`${count(killed)} killed by ${killed[0].signal}`, 'A crash leaves a pod half done.', killed[0])
      }
      const hung = ordinary.filter(({ timedOut }) => timedOut)
      const limit = `${ctx.timeout / 1000} s`
      if (hung[0]) ctx.violation(`${count(hung)} no end within ${limit}`, 'The pod waits for as long.', hung[0])
    },
  },
]

/** Calls the plugin with invalid input, because the error checks need an error to evaluate. */
async function provoke(ctx: Context): Promise<void> {
  const tried = ctx.exchanges.some(({ stdin }) => stdin === PROVOCATION)
  if (tried || ctx.exchanges.some((exchange) => isFailure(exchange) || exchange.timedOut)) return
  await call(ctx, 'ADD', { stdin: PROVOCATION })
  await call(ctx, 'ADD', { conf: { cniVersion: '9.9.9' } })
}

function isFailure({ exitCode, signal, timedOut, special }: Exchange): boolean {
  return !timedOut && special === undefined && signal === null && exitCode !== 0
}

function count(exchanges: readonly Exchange[]): string {
  return exchanges.length === 1 ? 'one execution:' : `${exchanges.length} executions:`
}
