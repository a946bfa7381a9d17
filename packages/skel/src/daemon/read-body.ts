import type { IncomingMessage } from 'node:http'

/** Milliseconds for a client to send its request. */
const RECEIVE_TIMEOUT = 10_000

/** Reads the text of a request. Discards a body over the limit. A client that takes too long gets an answer. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  timeout = RECEIVE_TIMEOUT,
): Promise<string | 'too large' | 'too late' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    // Does not destroy the request: bun would then answer with an empty 200, which a client takes for success.
    const timer = setTimeout(() => finish('too late'), timeout)
    const finish = (body: string): void => {
      clearTimeout(timer)
      resolve(body)
    }
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      // Reads the body to its end: a client that still writes would get a broken pipe instead of the answer.
      if (size <= limit) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => finish(size > limit ? 'too large' : Buffer.concat(chunks).toString('utf8')))
    request.on('error', () => finish('gone'))
    request.on('close', () => finish('gone'))
  })
}
