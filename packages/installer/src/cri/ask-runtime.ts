import { resolve } from 'node:path'
import { ProtobufError } from '@cni/types/protobuf'
import { callUnary } from './call-unary.ts'
import { CriError } from './cri-error.ts'
import { type RuntimeAnswer, runtimeAnswer } from './runtime-answer.ts'
import { socketProblem } from './socket-problem.ts'
import { decodeStatus, statusRequest } from './status-message.ts'

/** Options of {@link askRuntime}. */
export interface AskOptions {
  /** AbortSignal that cancels the request to the container runtime. */
  readonly signal?: AbortSignal
  /** Total milliseconds for connecting to the container runtime and for reading its answer. Default: 3000. */
  readonly timeoutMs?: number
}

/** Requests the status of a container runtime over its CRI socket. */
export async function askRuntime(
  socket: string,
  { signal, timeoutMs = TIMEOUT_MS }: AskOptions = {},
): Promise<RuntimeAnswer> {
  const problem = socketProblem(socket)
  if (problem !== undefined) throw new CriError(problem)
  const call = { signal, timeoutMs, maxBytes: MAX_ANSWER }
  try {
    return runtimeAnswer(decodeStatus(await callUnary(resolve(socket), STATUS, statusRequest(), call)))
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause
    throw new CriError(`it gives no answer of a container runtime: ${cause.message}`, { cause })
  }
}

// internal

const TIMEOUT_MS = 3000
const MAX_ANSWER = 1024 * 1024
const STATUS = '/runtime.v1.RuntimeService/Status'
