import { rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Reaction of the agent's stand-in to a request. Default: success. */
interface AgentAnswer {
  /** Default 200. */
  readonly status?: number
  readonly body?: string
  /** True if the agent's stand-in never answers the request. */
  readonly hang?: boolean
  /** True if the agent's stand-in closes the connection without an answer. */
  readonly cut?: boolean
}

/** Running stand-in for the node agent. Disposing stops it. */
export type NodeAgent = Awaited<ReturnType<typeof startNodeAgent>>

/**
 * Starts a stand-in for the node agent on the two sockets of a run directory.
 *
 * @example
 * await using agent = await startNodeAgent('/run/istio-cni')
 * agent.answerEvents({ status: 500, body: 'no such pod' })
 */
export async function startNodeAgent(runDir: string) {
  const events = await listen(join(runDir, 'pluginevent.sock'))
  const logs = await listen(join(runDir, 'log.sock'))
  return {
    /** Requests that the plugin sent to `pluginevent.sock`: pods to enrol in ambient mode. */
    events: events.seen,
    /** Requests that the plugin sent to `log.sock`. */
    logs: logs.seen,
    /** Parses the log lines that plugins sent to the agent's stand-in. */
    logLines: (): Array<Readonly<Record<string, unknown>>> =>
      logs.seen.flatMap(({ body }) => JSON.parse(body)).map((line) => JSON.parse(line)),
    /** Sets the reaction to the plugin's later ambient events. */
    answerEvents: events.answer,
    /** Sets the reaction to the plugin's later log requests. */
    answerLogs: logs.answer,
    async [Symbol.asyncDispose]() {
      await Promise.all([events.close(), logs.close()])
    },
  }
}

async function listen(path: string) {
  /** Received requests. `line` is the method and the path, such as `POST /cmdadd`. */
  const seen: { readonly line: string; readonly contentType: string | undefined; readonly body: string }[] = []
  let how: AgentAnswer = {}
  const server = createServer((request, response) => {
    text(request).then(
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

function treat(response: ServerResponse, { status = 200, body = '', hang, cut }: AgentAnswer): void {
  if (hang === true) return
  if (cut === true) return void response.destroy()
  response.writeHead(status).end(body)
}
