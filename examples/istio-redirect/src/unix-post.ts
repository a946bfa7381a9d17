/** What a server behind a socket said. */
export interface UnixAnswer {
  readonly status: number
  /** At most 1 MiB of it. */
  readonly body: string
}

/** One `POST` of JSON over a unix socket; rejects when there is no answer within `timeoutMs`, body included. */
export function postOverUnix(socketPath: string, { path, body, timeoutMs, signal }: UnixPost): Promise<UnixAnswer> {
  // Looked up at use: 5 ms that only those pay who need it.
  const http = process.getBuiltinModule('node:http')
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { socketPath, method: 'POST', path, host: 'unix', headers, agent: new http.Agent() }
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        if (size < maxBytes) chunks.push(chunk)
        size += chunk.length
      })
      response.on('end', () => {
        const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
        end(() => resolve({ status: response.statusCode ?? 0, body: text }))
      })
      response.on('error', fail)
    })
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      request.destroy()
      settle()
    }
    const fail = (error: Error): void => end(() => reject(error))
    const onAbort = (): void => fail(new Error('given up'))
    const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    request.on('error', fail)
    request.end(body)
  })
}

/** What {@link postOverUnix} sends. */
export interface UnixPost {
  readonly path: string
  readonly body: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

const maxBytes = 1024 * 1024
