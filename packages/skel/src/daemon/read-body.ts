import type { IncomingMessage } from 'node:http'

/** Maximum milliseconds until a client has sent its whole HTTP request. */
const RECEIVE_TIMEOUT = 10_000

/** Reads a request's body. Slow or too large requests still get an answer. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  timeout = RECEIVE_TIMEOUT,
): Promise<string | 'too large' | 'too late' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    // Keeps a slow client's request, because bun answers a destroyed request with an empty 200.
    const timer = setTimeout(() => finish('too late'), timeout)
    const finish = (body: string): void => {
      clearTimeout(timer)
      resolve(body)
    }
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      // Reads a too large body completely, because a writing client would miss the answer.
      if (size <= limit) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => finish(size > limit ? 'too large' : Buffer.concat(chunks).toString('utf8')))
    request.on('error', () => finish('gone'))
    request.on('close', () => finish('gone'))
  })
}
