import type { AgentLog } from '../log/agent-log.ts'
import { LINE_FAULTS, type LineFault, type ReceivedLines } from './log-entries.ts'

/** Reason why lines of the plugin are not printed. `body`: the body is not an array of lines. */
export type RefusedLines = LineFault | 'body'

/**
 * Level at which the agent logs each fault of the plugin's lines. Istio's agent logs invalid lines at debug too. Only
 * an attacker writes lines nested too deeply.
 */
const LEVELS = { form: 'debug', level: 'debug', time: 'debug', depth: 'warn' } as const

/**
 * Prints the lines of one call of the plugin together, in the plugin's scope and with their own times.
 *
 * @param received - `undefined` if the body is not an array of lines
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
