import type { AgentLog } from '../log/agent-log.ts'
import { LINE_FAULTS, type LineFault, type ReceivedLines } from './log-entries.ts'

/**
 * Reason why the agent does not print log lines of the plugin. The reason `body` means that the request body is not an
 * array of lines.
 */
export type RefusedLines = LineFault | 'body'

/**
 * Log level at which the agent reports each fault of the plugin's log lines. Invalid lines have the level debug, as in
 * Istio's agent. Lines with excessive nesting have the level warn, because only an attacker sends such lines.
 */
const LEVELS = { form: 'debug', level: 'debug', time: 'debug', depth: 'warn' } as const

/**
 * Prints the log lines that the plugin sent for one CNI call together, with the plugin's log scope and times.
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
