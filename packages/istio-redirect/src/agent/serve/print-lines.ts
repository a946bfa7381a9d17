import type { AgentLog } from '../log/agent-log.ts'
import { LINE_FAULTS, type LineFault, type ReceivedLines } from './log-entries.ts'

/** Why lines of the plugin are not printed: `body`, they were not even lines. */
export type RefusedLines = LineFault | 'body'

/** Istio's agent has the same words for what older plugins may write; what only an attacker writes is worth a line. */
const LEVELS = { form: 'debug', level: 'debug', time: 'debug', depth: 'warn' } as const

/**
 * Prints the lines of one call of the plugin as its own scope, with their own time and together.
 *
 * @param received - `undefined`: it was no list of lines
 * @param where - where they came from, for the log: `log socket`
 */
export function printLines(
  log: AgentLog,
  received: ReceivedLines | undefined,
  { where, refused }: { readonly where: string; readonly refused: (reason: RefusedLines) => void },
): void {
  const own = log.scope('cni-agent')
  if (received === undefined) {
    refused('body')
    own.error(`${where}: a request that is no JSON array of strings was ignored`)
    return
  }
  for (const entry of received.entries) log.emit(entry)
  for (const reason of received.refused) {
    refused(reason)
    own[LEVELS[reason]](`${where}: a line was ignored: ${LINE_FAULTS[reason]}`)
  }
}
