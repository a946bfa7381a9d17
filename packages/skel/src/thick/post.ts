import { connect } from 'node:net'
import { errnoOf } from '@cni/types'
import { type Answer, readAnswer } from './answer.ts'

/** Bytes of an answer; a result is a few hundred. */
const MAX_ANSWER = 16 * 1024 * 1024

/**
 * One request over a unix socket, on a connection of its own. Rejects with the transport's error.
 *
 * In HTTP/1.0, which any server answers without chunks and ends by closing.
 */
export function post(socketPath: string, path: string, body: string, signal: AbortSignal): Promise<Answer> {
  const connection = connect(socketPath)
  return new Promise<Answer>((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    connection.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size > MAX_ANSWER) reject(new Error(`the answer is larger than ${MAX_ANSWER} bytes`))
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
    connection.write(
      `POST ${path} HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }).finally(() => connection.destroy())
}

/** Whether nothing listens at a socket's path: the request was not made. */
export function isDown(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(errnoOf(error) ?? '')
}

/** Whether the listener's queue is full: the request was not made either, but somebody is there. */
export function isBusy(error: unknown): boolean {
  return errnoOf(error) === 'EAGAIN'
}
