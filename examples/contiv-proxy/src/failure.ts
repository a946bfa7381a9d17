import { CniError, ErrorCode } from '@cni/types'
import type { Reply } from './client.ts'

/** Converts the daemon's reply to the CNI error for the runtime. `undefined` if the request succeeded. */
export function failureOf(reply: Reply): CniError | undefined {
  switch (reply.kind) {
    case 'unreachable':
      return contivError(ErrorCode.tryAgainLater, 'daemon unreachable', reply.reason)
    case 'broken':
      return contivError(ErrorCode.tryAgainLater, reply.reason)
    case 'refused':
      return contivError(ErrorCode.internal, reply.reason, reply.details)
    case 'answer': {
      const { result = 0, errmsg, errinfo } = reply.response
      if (!reply.failed && result === 0) return undefined
      // Replaces the code 0 of a failed request, because the code 0 means success.
      return contivError(result || ErrorCode.internal, errmsg || 'internal server error', errinfo)
    }
  }
}

/** CNI error with a message in the form of the original Contiv plugin: `Contiv:` and the text. */
export function contivError(code: number, message: string, details?: string): CniError {
  return new CniError(code, `Contiv:${message}`, { details: details || undefined })
}
