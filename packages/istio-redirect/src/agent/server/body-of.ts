import type { IncomingMessage } from 'node:http'

/** Bounds of a body. */
export interface BodyBounds {
  readonly maxBytes: number
  /** Milliseconds in which all of it has to arrive. Default: as long as the connection lives. */
  readonly arrivalMs?: number
}

/** The body of a request, as text. Rejects with the reason why there is none. */
export function bodyOf(request: IncomingMessage, { maxBytes, arrivalMs }: BodyBounds): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const late = () => reject(new Error(`it took more than ${arrivalMs} ms`))
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
      reject(new Error('it broke off'))
    })
  })
}
