import type { Server } from 'node:http'
import type { AgentLog } from '../log/agent-log.ts'
import { bodyOf } from '../server/body-of.ts'
import type { BoundedOptions } from '../server/bounded-connections.ts'
import { boundedServer } from '../server/bounded-server.ts'
import { targetOf } from '../server/target.ts'
import { parseLogBody } from './log-entries.ts'
import { printLines, type RefusedLines } from './print-lines.ts'

/** Maximal size in bytes of the plugin's request with log lines. */
const MAX_BYTES = 1024 * 1024
/** Deadline in milliseconds for the plugin's request with log lines to arrive completely. */
const ARRIVAL_MS = 5000

/** Options of {@link logServer}, which prints the plugin's log lines. */
export interface LogServerOptions extends BoundedOptions {
  /** Called for each log line of the plugin that is not printed, and for each invalid request body. */
  readonly refused?: (reason: RefusedLines) => void
}

/** HTTP server that prints the plugin's log lines with the plugin's scope and times. */
export function logServer(log: AgentLog, options: LogServerOptions = {}): Server {
  const { refused = () => {} } = options
  const own = log.scope('cni-agent')
  return boundedServer((request, response) => {
    if (targetOf(request).path !== '/log') {
      request.resume()
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n')
      return
    }
    bodyOf(request, { maxBytes: MAX_BYTES, arrivalMs: ARRIVAL_MS }).then(
      (body) => {
        response.writeHead(200).end()
        printLines(log, parseLogBody(body), { where: 'log socket', refused })
      },
      (error: Error) => {
        refused('body')
        own.error(`log socket: ignored a request: ${error.message}`)
        response.writeHead(200).end(() => request.destroy())
      },
    )
  }, options)
}
