import type { Server } from 'node:http'
import type { AgentLog } from '../log/agent-log.ts'
import { bodyOf } from '../server/body-of.ts'
import type { BoundedOptions } from '../server/bounded-connections.ts'
import { boundedServer } from '../server/bounded-server.ts'
import { targetOf } from '../server/target.ts'
import { parseLogBody } from './log-entries.ts'
import { printLines, type RefusedLines } from './print-lines.ts'

/** More than any call of the plugin writes. */
const MAX_BYTES = 1024 * 1024
/** How long a request may take to arrive. */
const ARRIVAL_MS = 5000

/** Who is told what the server does not print. */
export interface LogServerOptions extends BoundedOptions {
  /** Told of each line that is not printed, and of each body that is no list of lines. */
  readonly refused?: (reason: RefusedLines) => void
}

/**
 * Receives the plugin's lines and prints them as its own scope, with their own time: those of one request together. The
 * answer is always 200: the plugin could do nothing about another one.
 */
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
        own.error(`log socket: a request was ignored: ${error.message}`)
        response.writeHead(200).end(() => request.destroy())
      },
    )
  }, options)
}
