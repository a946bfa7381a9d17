import type { Server } from 'node:http'
import type { AgentLog } from '../log/agent-log.ts'
import { bodyOf } from '../server/body-of.ts'
import type { BoundedOptions } from '../server/bounded-connections.ts'
import { boundedServer } from '../server/bounded-server.ts'
import { notFound, targetOf } from '../server/target.ts'
import { LINE_FAULTS, type LineFault, parseLogBody, type ReceivedLines } from './log-entries.ts'

/** Maximal size in bytes of the plugin's request with log lines. */
const MAX_BYTES = 1024 * 1024
/** Deadline in milliseconds for the plugin's request with log lines to arrive completely. */
const ARRIVAL_MS = 5000

/**
 * Log level at which the agent reports each fault of the plugin's log lines. Invalid lines have the level debug, as in
 * Istio's agent. Lines with excessive nesting have the level warn, because only an attacker sends such lines.
 */
const LEVELS = { form: 'debug', level: 'debug', time: 'debug', depth: 'warn' } as const

/**
 * Reason why the agent does not print log lines of the plugin. The reason `body` means that the request body is not an
 * array of lines.
 */
export type RefusedLines = LineFault | 'body'

/** Options of {@link logServer}, which prints the plugin's log lines. */
export interface LogServerOptions extends BoundedOptions {
  /** Called for each log line of the plugin that is not printed, and for each invalid request body. */
  readonly refused?: (reason: RefusedLines) => void
}

/** HTTP server that prints the plugin's log lines with the plugin's scope and times. */
export function logServer(log: AgentLog, options: LogServerOptions = {}): Server {
  const { refused = () => {} } = options
  const own = log.scope('cni-agent')
  const print = (received: ReceivedLines | undefined): void => {
    if (received === undefined) {
      refused('body')
      own.error('log socket: ignored a request that is not a JSON array of strings')
      return
    }
    for (const entry of received.entries) log.emit(entry)
    for (const reason of received.refused) {
      refused(reason)
      own[LEVELS[reason]](`log socket: ignored a line: ${LINE_FAULTS[reason]}`)
    }
  }
  return boundedServer((request, response) => {
    if (targetOf(request).path !== '/log') return notFound(request, response)
    bodyOf(request, { maxBytes: MAX_BYTES, arrivalMs: ARRIVAL_MS }).then(
      (body) => {
        response.writeHead(200).end()
        print(parseLogBody(body))
      },
      (error: Error) => {
        refused('body')
        own.error(`log socket: ignored a request: ${error.message}`)
        response.writeHead(200).end(() => request.destroy())
      },
    )
  }, options)
}
