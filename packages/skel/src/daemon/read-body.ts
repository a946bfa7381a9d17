import type { IncomingMessage } from 'node:http'

/** Milliseconds a client may take to send its request. */
const RECEIVE_TIMEOUT = 10_000

/** The text of a request; what is over the limit is not kept. A client that takes longer is to be told so. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  timeout = RECEIVE_TIMEOUT,
): Promise<string | 'too large' | 'too late' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    // The request is not destroyed: bun would answer it with an empty 200, which a client takes for success.
    const timer = setTimeout(() => finish('too late'), timeout)
    const finish = (body: string): void => {
      clearTimeout(timer)
      resolve(body)
    }
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      // The body is read to its end: a client that is still writing would see a broken pipe instead of the answer.
      if (size <= limit) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => finish(size > limit ? 'too large' : Buffer.concat(chunks).toString('utf8')))
    request.on('error', () => finish('gone'))
    request.on('close', () => finish('gone'))
  })
}
