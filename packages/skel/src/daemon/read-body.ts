import type { IncomingMessage } from 'node:http'

/** Maximum milliseconds until a client has sent its whole HTTP request. */
const RECEIVE_TIMEOUT = 10_000

/**
 * Reads the body of an HTTP request. Discards a body over the limit. A client that takes too long still gets an answer.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  timeout = RECEIVE_TIMEOUT,
): Promise<string | 'too large' | 'too late' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    // Does not destroy the request of a slow client. Reason: bun would answer a destroyed request with an empty 200,
    // and the client would assume success.
    const timer = setTimeout(() => finish('too late'), timeout)
    const finish = (body: string): void => {
      clearTimeout(timer)
      resolve(body)
    }
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      // Reads a too large body to its end. Reason: a client that is still writing would get a broken pipe instead of
      // the answer.
      if (size <= limit) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => finish(size > limit ? 'too large' : Buffer.concat(chunks).toString('utf8')))
    request.on('error', () => finish('gone'))
    request.on('close', () => finish('gone'))
  })
}
