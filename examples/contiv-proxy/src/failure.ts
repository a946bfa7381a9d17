import { CniError, ErrorCode } from '@cni/types'
import type { Reply } from './client.ts'

/** Error for the runtime. `undefined` if the request succeeded. */
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
      // An error must not have the code 0, which means success. The original plugin passes this code on; this plugin
      // replaces it.
      return contivError(result || ErrorCode.internal, errmsg || 'internal server error', errinfo)
    }
  }
}

/** Error with the message of the original plugin. */
export function contivError(code: number, message: string, details?: string): CniError {
  return new CniError(code, `Contiv:${message}`, { details: details || undefined })
}
