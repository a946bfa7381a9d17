import { CniError, ErrorCode, toErrorDocument, VERBS, type Verb } from '@cni/types'
import { checkByVerb, unexpected } from '../checks.ts'
import type { Middleware } from './use.ts'

/**
 * Middleware that adds a CNI code to thrown errors that have none. Default: 11 (try again later) for ADD and 50 (not
 * available) for STATUS. Logs the error with its stack. The error document's `details` have the error's class and
 * causes.
 *
 * @param codes - error code for each verb; 999 for a verb that is not listed.
 * @throws TypeError for an unknown verb or an invalid code.
 * @example
 * ```ts
 * use(plugin, recover({ ADD: 11, CHECK: 100 }))
 * ```
 */
export function recover(
  codes: Readonly<Partial<Record<Verb, number>>> = {
    ADD: ErrorCode.tryAgainLater,
    STATUS: ErrorCode.pluginNotAvailable,
  },
): Middleware {
  checkByVerb('recover', codes, VERBS, checkCode)
  return async function recover(c, next) {
    try {
      return await next()
    } catch (error) {
      const { code, msg, details } = toErrorDocument(error)
      const replacement = codes[c.verb]
      if (code !== ErrorCode.internal || replacement === undefined) throw error
      c.log.error(`${c.verb} crashed`, { error })
      const kind = error instanceof Error ? error.name : typeof error
      throw new CniError(replacement, msg, {
        details: details === undefined ? kind : `${kind}: ${details}`,
        cause: error,
      })
    }
  }
}

function checkCode(what: string, value: unknown): void {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffffffff) return
  throw unexpected(what, 'an error code', value)
}
