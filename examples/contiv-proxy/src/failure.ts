import { CniError, ErrorCode } from '@cni/types'
import type { Reply } from './client.ts'

/** What the runtime is told when a request did not succeed; `undefined` when it did. */
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
      // Code 0 is what a success would have; the original passes it on.
      return contivError(result || ErrorCode.internal, errmsg || 'internal server error', errinfo)
    }
  }
}

/** An error the way the original words it. */
export function contivError(code: number, message: string, details?: string): CniError {
  return new CniError(code, `Contiv:${message}`, { details: details || undefined })
}
