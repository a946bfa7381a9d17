import { reachable, textOf, whyOf } from './causes.ts'
import { CniError, carriedBy, ErrorCode, isCniError, isErrorCode } from './errors.ts'
import { goStringify } from './json/go-json.ts'
import { foldMembers, isObject } from './json/json.ts'
import { messageOf } from './thrown.ts'

/** CNI error document that a failed plugin prints on stdout. */
export interface CniErrorDocument {
  cniVersion?: string
  code: number
  msg: string
  details?: string
}

/**
 * Converts any thrown value into a CNI error document. Never throws. Uses the first CNI code among the error, its
 * causes and aggregated errors. Default: 999. Missing `details` come from the causes.
 */
export function toErrorDocument(error: unknown): CniErrorDocument {
  try {
    return describe(error)
  } catch (trap) {
    // Reports the plugin's failure even if reading the thrown error throws, for example in a getter.
    return { code: ErrorCode.internal, msg: `unreadable error: ${textOf(trap)}` }
  }
}

/**
 * Encodes a CNI error document for stdout, in the reference implementation's format.
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
 * Decodes the error that a plugin printed, from parsed JSON. A missing code becomes 0, a missing message `''`.
 *
 * @throws {@link CniError} with code 6 if the value is not an error document.
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

/** Formats a CNI error document as one line, as runtimes print it: `msg; details`. */
export function formatError({ msg, details }: Pick<CniErrorDocument, 'msg' | 'details'>): string {
  return details ? `${msg}; ${details}` : msg
}

/** Formats a thrown value as one line, as runtimes print it. */
export function errorLine(error: unknown): string {
  // Tests the error's members, not its class, because a bundle may contain two copies of the class.
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
  // Adds the causes, because "fetch failed" says less than its cause ECONNREFUSED.
  const details = chain.map(textOf).filter((text) => text !== '' && !msg.includes(text))
  return { code: ErrorCode.internal, msg, ...(details.length === 0 ? {} : { details: details.join('; ') }) }
}

function textMember(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw new CniError(ErrorCode.decodingFailure, `error document: ${name}: expected a string, got ${typeof value}`)
}
