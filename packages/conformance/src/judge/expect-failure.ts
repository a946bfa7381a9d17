import type { Context } from '../context.ts'
import { isErrorDocument, readStdout } from '../exchange/documents.ts'
import type { Exchange, Finding } from '../model.ts'

/** Expected failure of a plugin call: description of the call, reason and allowed error codes. */
export interface ExpectedFailure {
  /** Description of the plugin call that must fail: `ADD without CNI_NETNS`. */
  readonly what: string
  /** Reason why the plugin must reject the call. */
  readonly why: string
  /** CNI error codes that the plugin may report. Default: any code. */
  readonly codes?: readonly number[]
  /** Severity of the finding if the plugin reports a code that is not in `codes`. Default: violation. */
  readonly codeSeverity?: Finding['severity']
  /** Text that the plugin's error message must contain. */
  readonly names?: string
}

/** Evaluates a plugin call that must fail, and reports all faults: success, a missing error, an unexpected code. */
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
