import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { messageOf } from '@cni/types'
import { decodeResponse, encodeRequest, type Method, type PodRequest, type PodResponse } from './protocol.ts'

/** Outcome of a request to the Contiv daemon. */
export type Reply =
  /** The Contiv daemon has responded. `failed` is true for HTTP status 500. */
  | { readonly kind: 'answer'; readonly response: PodResponse; readonly failed: boolean }
  /** The Contiv daemon does not listen on its socket, so the request was not sent. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The connection to the Contiv daemon broke: the daemon may have handled the request. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** Failure of a request to the Contiv daemon, with the original client's error message. */
  | { readonly kind: 'refused'; readonly reason: string; readonly details?: string }

const MAX_ANSWER = 1024 * 1024
const TEXTS: Readonly<Record<number, string>> = {
  403: 'access denied',
  404: 'page not found',
  500: 'internal server error',
}

/** Calls a method of the Contiv daemon. Rejects only if the AbortSignal aborts. */
export async function callDaemon(
  socket: string,
  method: Method,
  request: PodRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const sent = await exchange(socket, { method: 'POST', path: `/ContivCNI.${method}` }, encodeRequest(request), signal)
  if ('kind' in sent) return sent
  // Reads only the HTTP status of a DEL's response. The original Contiv client also ignores the body.
  if (method === 'DelPod' && sent.status === 200) return { kind: 'answer', response: {}, failed: false }
  return read(sent)
}

/** Accepts any HTTP status below 500, because the Contiv daemon has no health endpoint. */
export async function probeDaemon(socket: string, signal: AbortSignal): Promise<string | undefined> {
  const sent = await exchange(socket, { method: 'GET', path: '/healthz' }, '', signal)
  if ('kind' in sent) return sent.reason
  return sent.status < 500 ? undefined : `${sent.status} ${sent.statusText}`
}

interface Answer {
  readonly status: number
  readonly statusText: string
  readonly body: string
}

function read({ status, statusText, body }: Answer): Reply {
  const reason = TEXTS[status] ?? `${status} ${statusText}`
  if (status !== 200 && status !== 500) return { kind: 'refused', reason }
  try {
    return { kind: 'answer', response: decodeResponse(body), failed: status === 500 }
  } catch (error) {
    const why = messageOf(error)
    return { kind: 'refused', reason: status === 500 ? reason : why, details: `${why}: ${body.slice(0, 200)}` }
  }
}

type Broken = Extract<Reply, { kind: 'unreachable' | 'broken' }>

async function exchange(
  socketPath: string,
  target: { method: string; path: string },
  body: string,
  signal: AbortSignal,
): Promise<Answer | Broken> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const options = { socketPath, ...target, host: 'localhost', headers, signal, agent: new Agent() }
      const request = httpRequest(options, (response) => {
        const { statusCode: status = 0, statusMessage: statusText = '' } = response
        readText(response).then((text) => resolve({ status, statusText, body: text }), reject)
      })
      request.on('error', reject)
      request.end(body)
    })
  } catch (error) {
    if (signal.aborted) throw error
    return { kind: isConnecting(error) ? 'unreachable' : 'broken', reason: messageOf(error) }
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_ANSWER) throw new Error(`the answer is larger than ${MAX_ANSWER} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isConnecting(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
}
