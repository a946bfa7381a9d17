import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'

/** HTTP request that the agent's stand-in has received. */
export interface AgentRequest {
  /** Method and path of the request, such as `POST /cmdadd`. */
  readonly line: string
  readonly contentType: string | undefined
  readonly body: string
}

/** Reaction of the agent's stand-in to a request. Default: success. */
export interface AgentAnswer {
  /** Default 200. */
  readonly status?: number
  readonly body?: string
  /** True if the agent's stand-in never answers the request. */
  readonly hang?: boolean
  /** True if the agent's stand-in closes the connection without an answer. */
  readonly cut?: boolean
}

/** Running stand-in for the node agent. Disposing stops it. */
export interface NodeAgent extends AsyncDisposable {
  /** Requests that the plugin sent to `pluginevent.sock`: pods to enrol in ambient mode. */
  readonly events: readonly AgentRequest[]
  /** Requests that the plugin sent to `log.sock`. */
  readonly logs: readonly AgentRequest[]
  /** Parses the log lines that plugins sent to the agent's stand-in. */
  logLines(): Array<Readonly<Record<string, unknown>>>
  /** Sets the reaction to the plugin's later ambient events. */
  answerEvents(how: AgentAnswer): void
  /** Sets the reaction to the plugin's later log requests. */
  answerLogs(how: AgentAnswer): void
}

/**
 * Starts a stand-in for the node agent on the two sockets of a run directory.
 *
 * @example
 * await using agent = await startNodeAgent('/run/istio-cni')
 * agent.answerEvents({ status: 500, body: 'no such pod' })
 */
export async function startNodeAgent(runDir: string): Promise<NodeAgent> {
  const events = await listen(join(runDir, 'pluginevent.sock'))
  const logs = await listen(join(runDir, 'log.sock'))
  return {
    events: events.seen,
    logs: logs.seen,
    logLines: () => logs.seen.flatMap(({ body }) => JSON.parse(body)).map((line) => JSON.parse(line)),
    answerEvents: events.answer,
    answerLogs: logs.answer,
    async [Symbol.asyncDispose]() {
      await Promise.all([events.close(), logs.close()])
    },
  }
}

async function listen(path: string) {
  const seen: AgentRequest[] = []
  let how: AgentAnswer = {}
  const server: Server = createServer((request, response) => {
    read(request).then(
      (body) => {
        const { method, url, headers } = request
        seen.push({ line: `${method} ${url}`, contentType: headers['content-type'], body })
        treat(response, how)
      },
      () => response.destroy(),
    )
  })
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  return {
    seen,
    answer(next: AgentAnswer): void {
      how = next
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function treat(response: ServerResponse, { status = 200, body = '', hang, cut }: AgentAnswer): void {
  if (hang === true) return
  if (cut === true) return void response.destroy()
  response.writeHead(status).end(body)
}
