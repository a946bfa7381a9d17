import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import { connect } from 'node:net'
import { errnoOf, printable } from '@cni/types'
import { CriError } from './cri-error.ts'

/** Options of {@link callUnary}. */
export interface CallOptions {
  readonly signal: AbortSignal | undefined
  /** Total milliseconds for connecting to the gRPC server and for reading its answer. */
  readonly timeoutMs: number
  /** Maximum size of the server's gRPC answer in bytes. */
  readonly maxBytes: number
}

/** Calls a gRPC method with one request and one answer, over a new connection. */
export function callUnary(
  socket: string,
  method: string,
  request: Uint8Array,
  options: CallOptions,
): Promise<Uint8Array> {
  const { signal, timeoutMs, maxBytes } = options
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new CriError(CANCELLED))
    // Loads the HTTP/2 module only for a call, because most node agents never call the container runtime.
    const http2 = process.getBuiltinModule('node:http2')
    const connection = connect(socket)
    const session = http2.connect('http://localhost', { createConnection: () => connection })
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      session.destroy()
      connection.destroy()
    }
    const fail = (problem: string, cause?: unknown): void => {
      reject(new CriError(problem, { cause }))
      end()
    }
    const onAbort = (): void => fail(CANCELLED)
    const onError = (error: unknown): void => fail(connectionProblem(error), error)
    const timer = setTimeout(() => fail('it gives no answer in time'), timeoutMs)
    signal?.addEventListener('abort', onAbort)
    connection.on('error', onError).on('close', () => fail('no connection: it was closed before an answer'))
    session.on('error', onError)
    const succeed = (answer: Uint8Array): void => {
      resolve(answer)
      end()
    }
    exchange(session, method, request, maxBytes, { succeed, fail })
  })
}

// internal

const CANCELLED = 'the question was cancelled'

/** Size in bytes of a gRPC message's prefix: a compression flag and the length. */
const PREFIX_BYTES = 5

interface Outcome {
  succeed(answer: Uint8Array): void
  fail(problem: string, cause?: unknown): void
}

function exchange(
  session: ClientHttp2Session,
  method: string,
  request: Uint8Array,
  maxBytes: number,
  { succeed, fail }: Outcome,
): void {
  const headers = { ':method': 'POST', ':path': method, 'content-type': 'application/grpc', te: 'trailers' }
  const stream = session.request(headers)
  const chunks: Buffer[] = []
  let length = 0
  let status: IncomingHttpHeaders = {}
  // Reads the status from headers too: a server may report a failed call without sending trailers.
  stream.on('response', (received) => {
    status = received
  })
  stream.on('trailers', (received) => {
    status = { ...status, ...received }
  })
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > PREFIX_BYTES + maxBytes) fail(`it answers more than ${maxBytes} bytes`)
    else chunks.push(chunk)
  })
  stream.on('error', (error: unknown) => fail(connectionProblem(error), error))
  stream.on('end', () => {
    const problem = statusProblem(status)
    if (problem !== undefined) return fail(problem)
    const answer = messageOf(Buffer.concat(chunks))
    if (answer === undefined) fail('it gives no answer of gRPC')
    else succeed(answer)
  })
  stream.end(framed(request))
}

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Extracts the gRPC message from the body. Returns `undefined` if the body is invalid. */
function messageOf(body: Buffer): Uint8Array | undefined {
  const isWhole = body.length >= PREFIX_BYTES && body[0] === 0 && body.readUInt32BE(1) === body.length - PREFIX_BYTES
  return isWhole ? body.subarray(PREFIX_BYTES) : undefined
}

const UNIMPLEMENTED = '12'

function statusProblem(headers: IncomingHttpHeaders): string | undefined {
  const { ':status': http, 'grpc-status': code, 'grpc-message': details } = headers
  if (code === '0') return undefined
  if (code === UNIMPLEMENTED) {
    return 'what listens does not answer CRI in version 1: is the CRI plugin of containerd disabled?'
  }
  if (code === undefined) return `it answers HTTP status ${http} and no status of gRPC`
  const text = typeof details === 'string' ? decoded(details) : ''
  return text === '' ? `it answers with code ${printable(String(code))} of gRPC` : printable(text)
}

/** Decodes the percent-encoded error text (`grpc-message`) of a gRPC server. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Returns an error text with invalid percent-encoding unchanged, because a failure would lose the text.
    return text
  }
}

const connectionProblem = (error: unknown): string =>
  errnoOf(error) === 'ECONNREFUSED'
    ? 'no program listens'
    : `no connection: ${printable(error instanceof Error ? error.message : String(error))}`
