import { defaultTransport } from './default-transport.ts'
import { failureWords } from './failure-words.ts'
import { TooLarge, type TransportAnswer } from './transport.ts'

/** What {@link postOverUnix} sends. */
export interface UnixPost {
  readonly path: string
  /** JSON. */
  readonly body: string
  /** For all of it, the answer included. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** What a server behind a socket said. */
export type UnixAnswer = Pick<TransportAnswer, 'status' | 'body'>

/** One `POST` over a unix socket. Rejects with an error whose message says why, without the socket's path. */
export async function postOverUnix(socketPath: string, post: UnixPost): Promise<UnixAnswer> {
  const { path, body, timeoutMs, signal } = post
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await defaultTransport({
      method: 'POST',
      url: new URL(path, 'http://unix'),
      socketPath,
      headers: { 'content-type': 'application/json' },
      body,
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      maxBytes,
    })
  } catch (cause) {
    if (signal?.aborted) throw new Error('given up', { cause })
    if (deadline.aborted) throw new Error(`no answer within ${timeoutMs} ms`, { cause })
    if (cause instanceof TooLarge) throw new Error(`the answer is larger than ${maxBytes} bytes`, { cause })
    const { code, words } = failureWords(cause)
    throw new Error(code === '' ? words : `${code}: ${words}`, { cause })
  }
}

// internal

const maxBytes = 1024 * 1024
