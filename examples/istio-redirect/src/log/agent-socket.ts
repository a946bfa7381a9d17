import type { LogSink } from '@cni/skel'

/**
 * Hands the lines of one call to the node agent, where `kubectl logs` shows them: one `POST /log` over its unix socket
 * when the call is over, with a JSON array of lines. An agent that does not listen costs nothing but the lines, a silent
 * one a second.
 */
export function agentSocket(socketPath: string, timeoutMs = 1000): LogSink {
  let lines: string[] = []
  return {
    write(line) {
      lines.push(line)
    },
    async flush() {
      const body = JSON.stringify(lines)
      if (lines.length > 0) await post(socketPath, body, timeoutMs)
      lines = []
    },
  }
}

function post(socketPath: string, body: string, timeoutMs: number): Promise<void> {
  const http = process.getBuiltinModule('node:http')
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = http.request(
      { socketPath, method: 'POST', path: '/log', host: 'unix', headers, agent: new http.Agent() },
      (response) => {
        response.resume()
        response.on('end', () => finish(response.statusCode === 200 ? undefined : `status ${response.statusCode}`))
        response.on('error', (error) => finish(error.message))
      },
    )
    const timer = setTimeout(() => finish(`no answer within ${timeoutMs} ms`), timeoutMs)
    const finish = (problem?: string): void => {
      clearTimeout(timer)
      request.destroy()
      if (problem === undefined) resolve()
      else reject(new Error(`log socket ${socketPath}: ${problem}`))
    }
    request.on('error', (error) => finish(error.message))
    request.end(body)
  })
}
