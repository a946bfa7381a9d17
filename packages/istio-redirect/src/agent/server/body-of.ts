import type { IncomingMessage } from 'node:http'

/** Limits of a request's body. */
export interface BodyBounds {
  readonly maxBytes: number
  /** Deadline in milliseconds for the whole body. Default: the time limit of the connection. */
  readonly arrivalMs?: number
}

/** Reads the body of a request as text. Rejects if the body is too long, too slow or incomplete. */
export function bodyOf(request: IncomingMessage, { maxBytes, arrivalMs }: BodyBounds): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const late = () => reject(new Error(`it did not arrive within ${arrivalMs} ms`))
    const timer = arrivalMs === undefined ? undefined : setTimeout(late, arrivalMs)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else reject(new Error(`it is longer than ${maxBytes} bytes`))
    })
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.once('error', reject)
    request.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the connection closed before its end'))
    })
  })
}
