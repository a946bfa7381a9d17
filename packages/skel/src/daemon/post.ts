import { connect, type Socket } from 'node:net'
import { errnoOf } from '@cni/types'
import { type Answer, readAnswer } from './answer.ts'

/** Request, and the limits of its answer. */
export interface Request {
  readonly path: string
  /** JSON. */
  readonly body: string
  readonly signal: AbortSignal
  /** Milliseconds until the answer begins; default: no limit but the signal. */
  readonly begunWithin?: number
  /** Most bytes of an answer. Default 16 MiB; a result has a few hundred. */
  readonly maxBytes?: number
  /** Looks at the connection before anything is sent. What it throws ends the request. */
  admit?(connection: Socket): void
}

const MAX_ANSWER = 16 * 1024 * 1024

/**
 * One request over a unix socket, on a connection of its own. Rejects with the transport's error.
 *
 * In HTTP/1.0, which any server answers without chunks and ends by closing.
 */
export function post(socketPath: string, request: Request): Promise<Answer> {
  const { path, body, signal, begunWithin, maxBytes = MAX_ANSWER } = request
  const connection = connect(socketPath)
  let timer: NodeJS.Timeout | undefined
  return new Promise<Answer>((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    if (begunWithin !== undefined) {
      timer = setTimeout(() => reject(new Error(`no answer within ${begunWithin} ms`)), begunWithin)
    }
    connection.on('data', (chunk: Uint8Array) => {
      clearTimeout(timer)
      size += chunk.length
      if (size > maxBytes) reject(new Error(`the answer is larger than ${maxBytes} bytes`))
      else chunks.push(chunk)
    })
    connection.on('error', reject)
    connection.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      try {
        resolve(readAnswer(Buffer.concat(chunks)))
      } catch (error) {
        reject(error)
      }
    })
    connection.once('connect', () => {
      try {
        request.admit?.(connection)
      } catch (error) {
        return reject(error)
      }
      connection.write(
        `POST ${path} HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  }).finally(() => {
    clearTimeout(timer)
    connection.destroy()
  })
}

/** Whether nothing listens at a socket's path: the request was not made. */
export function isDown(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(errnoOf(error) ?? '')
}

/** Whether the listener's queue is full: the request was not made either, but somebody is there. */
export function isBusy(error: unknown): boolean {
  return errnoOf(error) === 'EAGAIN'
}
