import { CniError, decodeError, ErrorCode, messageOf, type Verb } from '@cni/types'
import type { CallContext } from '../definition/context.ts'
import type { Answer } from './answer.ts'
import { isBusy, isDown, post } from './post.ts'
import { encodeCall } from './wire.ts'

/** Result of one request to the daemon. Without an `answer` the shim may retry. */
export type Attempt =
  | { readonly answer: string }
  | {
      readonly answer?: never
      readonly state: 'down' | 'not ready'
      readonly socket: string
      readonly reason: string
    }

/**
 * Forwards one CNI call to the plugin daemon.
 *
 * @throws {@link CniError} with one of these codes:
 * - the plugin's own code, as the daemon sent it.
 * - 11, or 50 for STATUS, if the connection broke. The shim must not retry, because the call may have run.
 * - 999 if the answer is not from a plugin daemon.
 */
export async function attempt(socket: string, verb: Verb, { env, raw, signal }: CallContext): Promise<Attempt> {
  let answer: Answer
  try {
    answer = await post(socket, { path: '/cni', body: encodeCall({ env, config: raw }), signal })
  } catch (error) {
    const reason = messageOf(error)
    if (isDown(error)) return { state: 'down', socket, reason }
    if (isBusy(error)) return { state: 'not ready', socket, reason }
    const code = verb === 'STATUS' ? ErrorCode.pluginNotAvailable : ErrorCode.tryAgainLater
    throw new CniError(code, `the daemon at ${socket} broke off the call: ${reason}`, { cause: error })
  }
  if (answer.status === 200) return { answer: answer.body }
  const error = documented(answer)
  if (answer.status === 503) return { state: 'not ready', socket, reason: error?.message ?? answer.statusText }
  if (error !== undefined) throw error
  throw new CniError(ErrorCode.internal, `the daemon at ${socket} answered ${answer.status} ${answer.statusText}`, {
    details: answer.body.slice(0, 500),
    hint: 'is another program listening there?',
  })
}

/** Parses the CNI error document in the body of the daemon's answer. */
function documented({ body }: Answer): CniError | undefined {
  try {
    const document: unknown = JSON.parse(body)
    return decodeError(document)
  } catch {
    // The answer is from a server that is not a plugin daemon.
    return undefined
  }
}
