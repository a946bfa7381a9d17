import type { Context } from '../context.ts'
import { isErrorDocument, readStdout } from '../exchange/documents.ts'
import type { Exchange, Finding } from '../model.ts'

/** What a failure is expected to look like. */
export interface ExpectedFailure {
  /** What was done: `ADD without CNI_NETNS`. */
  readonly what: string
  /** Why it must fail. */
  readonly why: string
  /** The codes that say so; none: any will do. */
  readonly codes?: readonly number[]
  /** How bad another code is. Default: violation. */
  readonly codeSeverity?: Finding['severity']
  /** What the message has to name. */
  readonly names?: string
}

/** Reports whatever is wrong with an execution that had to fail. */
export function expectFailure(ctx: Context, exchange: Exchange, expected: ExpectedFailure): void {
  const { what, why, codes, codeSeverity = 'violation', names } = expected
  const document = readStdout(exchange.stdout).documents.findLast(isErrorDocument)
  if (exchange.timedOut) {
    ctx.violation(`${what}: did not end within ${ctx.timeout / 1000} s`, why, exchange)
  } else if (exchange.exitCode === 0) {
    ctx.violation(`${what}: accepted, exit code 0`, why, exchange)
  } else if (document === undefined) {
    const how = exchange.signal === null ? `exit code ${exchange.exitCode}` : `killed by ${exchange.signal}`
    const blind = 'The runtime can only report that it failed, not why.'
    ctx.violation(`${what}: no error document on stdout, ${how}`, blind, exchange)
  } else if (codes !== undefined && !codes.some((known) => known === document.code)) {
    const summary = `${what}: error code ${JSON.stringify(document.code)}, expected ${codes.join(' or ')}`
    ctx[codeSeverity](summary, 'Runtimes and operators tell errors apart by their code.', exchange)
  } else if (names !== undefined && !`${document.msg} ${document.details}`.includes(names)) {
    const rule = 'With code 4 "the error message must contain the names of invalid variables".'
    ctx.violation(`${what}: the error does not name ${names}`, rule, exchange)
  }
}
