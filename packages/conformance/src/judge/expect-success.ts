import { resultIn } from '../attached-pod.ts'
import type { Context } from '../context.ts'
import { isErrorDocument, readStdout } from '../exchange/documents.ts'
import type { Exchange, Finding } from '../model.ts'

/** Expected success of a plugin call: description of the call, reason and severity. */
export interface ExpectedSuccess {
  /** Description of the plugin call that must succeed: `DEL, the second time`. */
  readonly what: string
  /** Reason why the plugin call must succeed. */
  readonly why: string
  /** Severity of the finding if the plugin call fails. Default: violation. */
  readonly severity?: Finding['severity']
}

/** Reports a finding if the plugin call failed. Returns true if the call succeeded. */
export function expectSuccess(ctx: Context, exchange: Exchange, expected: ExpectedSuccess): boolean {
  const { what, why, severity = 'violation' } = expected
  if (exchange.timedOut) {
    ctx.violation(`${what}: did not end within ${ctx.timeout / 1000} s`, why, exchange)
    return false
  }
  const silent = exchange.env.CNI_COMMAND === 'ADD' && resultIn(exchange) === undefined
  if (exchange.exitCode === 0 && !silent) return true
  ctx[severity](`${what}: ${failureText(exchange)}`, why, exchange)
  return false
}

/** Short description of a failed plugin call. An ADD without a result also counts as failed. */
export function failureText({ exitCode, signal, stdout, stderr, timedOut }: Exchange): string {
  if (timedOut) return 'did not end in time'
  if (exitCode === 0) return 'printed no result'
  const document = readStdout(stdout).documents.findLast(isErrorDocument)
  if (document !== undefined) {
    const details = document.details ? `; ${document.details}` : ''
    return `failed with code ${document.code}: ${document.msg}${details}`
  }
  const how = signal === null ? `failed with exit code ${exitCode}` : `killed by ${signal}`
  const said = (stdout.trim() || stderr.trim()).split('\n')[0]
  return said === '' ? `${how}, without a word` : `${how}: ${said}`
}
