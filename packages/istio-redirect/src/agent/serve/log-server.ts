import type { IncomingMessage, Server } from 'node:http'
import type { AgentLog } from '../log/agent-log.ts'
import { type BoundedServerOptions, boundedServer } from './bounded-server.ts'
import { LINE_FAULTS, type LineFault, parseLogBody } from './log-entries.ts'
import { targetOf } from './target.ts'

/** More than any call of the plugin writes. */
const MAX_BYTES = 1024 * 1024
/** How long a request may take to arrive. */
const ARRIVAL_MS = 5000

/** Who is told what the server does not print. */
export interface LogServerOptions extends BoundedServerOptions {
  /** Told of each line that is not printed, and of each body that is no list of lines. */
  readonly refused?: (reason: LineFault | 'body') => void
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
    bodyOf(request).then(
      (body) => {
        response.writeHead(200).end()
        const received = parseLogBody(body)
        if (received === undefined) {
          refused('body')
          own.error('log socket: a request that is no JSON array of strings was ignored')
        }
        for (const entry of received?.entries ?? []) log.emit(entry)
        for (const reason of received?.refused ?? []) {
          refused(reason)
          own[LEVELS[reason]](`log socket: a line was ignored: ${LINE_FAULTS[reason]}`)
        }
      },
      (error: Error) => {
        refused('body')
        own.error(`log socket: a request was ignored: ${error.message}`)
        response.writeHead(200).end(() => request.destroy())
      },
    )
  }, options)
}

/** Istio's agent has the same words for what older plugins may write; what only an attacker writes is worth a line. */
const LEVELS = { form: 'debug', level: 'debug', time: 'debug', depth: 'warn' } as const

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => reject(new Error(`it took more than ${ARRIVAL_MS} ms`)), ARRIVAL_MS)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
      else reject(new Error(`it is longer than ${MAX_BYTES} bytes`))
    })
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.once('error', reject)
    request.once('close', () => {
      clearTimeout(timer)
      reject(new Error('it broke off'))
    })
  })
}
