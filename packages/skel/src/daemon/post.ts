import { connect, type Socket } from 'node:net'
import { errnoOf } from '@cni/types'
import { type Answer, readAnswer } from './answer.ts'

/** An HTTP request to a daemon, and the limits of the daemon's answer. */
export interface Request {
  readonly path: string
  /** JSON body of the HTTP request. */
  readonly body: string
  readonly signal: AbortSignal
  /** Time limit in milliseconds for the first byte of the daemon's answer. Default: only the AbortSignal limits it. */
  readonly begunWithin?: number
  /** Maximum size of the daemon's answer in bytes. Default: 16 MiB. */
  readonly maxBytes?: number
  /** Checks the connection before the request is sent, and throws to stop the request. */
  admit?(connection: Socket): void
}

const MAX_ANSWER = 16 * 1024 * 1024

/** Sends one request to a unix socket. Uses HTTP/1.0, in which servers do not send chunked answers. */
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

/** True if the connection failed because no daemon listens at the socket's path. The request was not sent. */
export function isDown(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(errnoOf(error) ?? '')
}

/** True if the daemon's listen queue is full. The request was not sent. */
export function isBusy(error: unknown): boolean {
  return errnoOf(error) === 'EAGAIN'
}
