import { resolve } from 'node:path'
import { Client, logVerbosity, Metadata, type ServiceError, setLogVerbosity, status } from '@grpc/grpc-js'
import { printable } from '../../foreign-text.ts'
import { ProtobufError } from '../../zds/protobuf.ts'
import { CriError } from './cri-error.ts'
import { OwnConnections } from './own-connections.ts'
import { type RuntimeAnswer, runtimeAnswer } from './runtime-answer.ts'
import { socketProblem } from './socket-problem.ts'
import { decodeStatus, statusRequest } from './status-message.ts'

/** Options of {@link askRuntime}. */
export interface AskOptions {
  /** Ends the question. */
  readonly signal?: AbortSignal
  /** For connection and answer together. Default: 3 s. */
  readonly timeoutMs?: number
}

/**
 * Asks a container runtime for its status over its CRI socket. `Status` is the only method that the agent ever calls.
 *
 * @throws {@link CriError} where there is no valid answer in time.
 */
export async function askRuntime(
  socket: string,
  { signal, timeoutMs = TIMEOUT_MS }: AskOptions = {},
): Promise<RuntimeAnswer> {
  const problem = socketProblem(socket)
  if (problem !== undefined) throw new CriError(problem)
  using connections = new OwnConnections()
  const client = new Client(`unix:${resolve(socket)}`, connections, CHANNEL)
  try {
    return runtimeAnswer(decodeStatus(await callStatus(client, Date.now() + timeoutMs, signal)))
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause
    throw new CriError(`it gives no answer of a container runtime: ${cause.message}`, { cause })
  } finally {
    client.close()
  }
}

// internal

const TIMEOUT_MS = 3000
const MAX_ANSWER = 1024 * 1024

/** A connection of its own for each question, and nothing that is kept between two. */
const CHANNEL = {
  'grpc.max_receive_message_length': MAX_ANSWER,
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
}

// Variables of the environment, such as GRPC_TRACE, would make the library write to stderr.
setLogVerbosity(logVerbosity.NONE)

const asBytes = (bytes: Uint8Array): Buffer => Buffer.from(bytes)

function callStatus(client: Client, deadline: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(
      '/runtime.v1.RuntimeService/Status',
      asBytes,
      (bytes: Buffer): Uint8Array => bytes,
      statusRequest(),
      new Metadata(),
      { deadline },
      (error, answer) => {
        signal?.removeEventListener('abort', cancel)
        if (error === null && answer !== undefined) resolve(answer)
        else reject(new CriError(error === null ? 'it gives no answer' : problemOf(error), { cause: error }))
      },
    )
    const cancel = (): void => call.cancel()
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted) cancel()
  })
}

function problemOf({ code, details }: ServiceError): string {
  switch (code) {
    case status.DEADLINE_EXCEEDED:
      return 'it gives no answer in time'
    case status.UNIMPLEMENTED:
      return 'what listens does not answer CRI in version 1: is the CRI plugin of containerd disabled?'
    case status.RESOURCE_EXHAUSTED:
      return `it answers more than ${MAX_ANSWER} bytes, or refuses: ${printable(details)}`
    case status.UNAVAILABLE:
      return details.includes('ECONNREFUSED') ? 'nobody listens' : `no connection: ${printable(reasonIn(details))}`
    default:
      return printable(details)
  }
}

/** The library adds the time to it: a log would take each as a new one. */
const reasonIn = (details: string): string =>
  /Last error: (.*?)(?: \([\d:.TZ-]+\))?\. Resolution note/s.exec(details)?.[1] ?? details
