import type { AgentLog } from '../log/agent-log.ts'
import { LINE_FAULTS, type LineFault, type ReceivedLines } from './log-entries.ts'

/** Reason why the agent does not print log lines. `body`: the request has no lines. */
export type RefusedLines = LineFault | 'body'

/** Log level for faults of log lines. Only an attacker sends lines with excessive nesting. */
const LEVELS = { form: 'debug', level: 'debug', time: 'debug', depth: 'warn' } as const

/**
 * Prints the log lines of one CNI call together, with the plugin's scope and times.
 *
 * @param received - parsed lines, or `undefined` if the request body is not an array of lines
 * @param where - source of the lines for the log, such as `log socket`
 */
export function printLines(
  log: AgentLog,
  received: ReceivedLines | undefined,
  { where, refused }: { readonly where: string; readonly refused: (reason: RefusedLines) => void },
): void {
  const own = log.scope('cni-agent')
  if (received === undefined) {
    refused('body')
    own.error(`${where}: ignored a request that is not a JSON array of strings`)
    return
  }
  for (const entry of received.entries) log.emit(entry)
  for (const reason of received.refused) {
    refused(reason)
    own[LEVELS[reason]](`${where}: ignored a line: ${LINE_FAULTS[reason]}`)
  }
}
