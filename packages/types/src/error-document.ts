import { reachable, textOf, whyOf } from './causes.ts'
import { CniError, carriedBy, ErrorCode, isCniError, isErrorCode } from './errors.ts'
import { goStringify } from './json/go-json.ts'
import { foldMembers, isObject } from './json/json.ts'
import { messageOf } from './thrown.ts'

/** An error as it stands on stdout. */
export interface CniErrorDocument {
  cniVersion?: string
  code: number
  msg: string
  details?: string
}

/**
 * What a failure looks like to the runtime: the first error with a CNI code among the error, its causes and the
 * members of an `AggregateError` as it is, without the text around it; anything else as code 999. What caused a
 * {@link CniError} without details, or an error without a code, is told in `details`. Never throws.
 */
export function toErrorDocument(error: unknown): CniErrorDocument {
  try {
    return describe(error)
  } catch (trap) {
    // A member that throws when it is read: the failure must be reported all the same.
    return { code: ErrorCode.internal, msg: `unreadable error: ${textOf(trap)}` }
  }
}

/**
 * The bytes of an error on stdout: four spaces, keys in the reference implementation's order, no final newline.
 * Leave out `cniVersion` for the very bytes of that implementation.
 *
 * @example
 * ```ts
 * encodeError({ cniVersion: '1.1.0', ...toErrorDocument(error) })
 * ```
 */
export function encodeError(document: CniErrorDocument): string {
  const { cniVersion, code, msg, details } = document
  return goStringify({ cniVersion: cniVersion || undefined, code, msg, details: details || undefined }, { indent: 4 })
}

/**
 * The error a plugin printed, from its parsed JSON; a missing code is 0 and a missing text is empty. Names may
 * differ in case, as in Go.
 *
 * @throws {@link CniError} with code 6 when it is not an error document.
 */
export function decodeError(document: unknown): CniError {
  if (!isObject(document)) throw new CniError(ErrorCode.decodingFailure, 'error document: expected an object')
  const { code, msg, details } = foldMembers(document, ['code', 'msg', 'details'])
  if (code !== undefined && code !== null && !isErrorCode(code)) {
    const given = JSON.stringify(code)
    throw new CniError(ErrorCode.decodingFailure, `error document: code: expected an unsigned integer, got ${given}`)
  }
  return new CniError(code ?? 0, textMember('msg', msg), { details: textMember('details', details) })
}

/** An error as one line, the way runtimes print it: `msg; details`. */
export function formatError({ msg, details }: Pick<CniErrorDocument, 'msg' | 'details'>): string {
  return details ? `${msg}; ${details}` : msg
}

/**
 * What was thrown as one line, the way runtimes print it: of an error with a CNI code its message and its details, as
 * {@link CniError} has them.
 */
export function errorLine(error: unknown): string {
  // Not by class: a bundle may hold two copies of it.
  const hasDetails = isCniError(error) && 'details' in error && typeof error.details === 'string'
  return hasDetails ? formatError({ msg: error.message, details: String(error.details) }) : messageOf(error)
}

function describe(error: unknown): CniErrorDocument {
  const chain = reachable(error)
  for (const one of chain) {
    const carried = carriedBy(one)
    if (carried === undefined) continue
    const { code } = carried
    const msg = one instanceof Error ? String(one.message) : textOf(one)
    const details = [whyOf(one), carried.details].filter(Boolean).join('; ')
    return { code, msg, ...(details === '' ? {} : { details }) }
  }
  const msg = textOf(error) || chain.map(textOf).find(Boolean) || 'unknown error'
  // The cause is often all that helps ("fetch failed", caused by ECONNREFUSED): it must not get lost on the wire.
  const details = chain.map(textOf).filter((text) => text !== '' && !msg.includes(text))
  return { code: ErrorCode.internal, msg, ...(details.length === 0 ? {} : { details: details.join('; ') }) }
}

function textMember(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw new CniError(ErrorCode.decodingFailure, `error document: ${name}: expected a string, got ${typeof value}`)
}
