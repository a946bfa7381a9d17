import { CniError, carriedBy, ErrorCode, isErrorCode } from './errors.ts'
import { goStringify } from './go-json.ts'
import { foldMembers, isObject } from './json.ts'

/** An error as it stands on stdout. */
export interface CniErrorDocument {
  cniVersion?: string
  code: number
  msg: string
  details?: string
}

/**
 * What a failure looks like to the runtime: the first error with a CNI code among the error, its causes and the
 * members of an `AggregateError` as it is, without the text around it; anything else as code 999. Never throws.
 */
export function toErrorDocument(error: unknown): CniErrorDocument {
  try {
    return describe(error)
  } catch (trap) {
    // A member that throws when it is read: the failure must be reported all the same.
    return { code: ErrorCode.internal, msg: `unreadable error: ${messageOf(trap)}` }
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

function describe(error: unknown): CniErrorDocument {
  const chain = reachable(error)
  for (const one of chain) {
    const carried = carriedBy(one)
    if (carried === undefined) continue
    const { code, details } = carried
    const msg = one instanceof Error ? String(one.message) : messageOf(one)
    return { code, msg, ...(details === undefined ? {} : { details }) }
  }
  const msg = messageOf(error) || chain.map(messageOf).find(Boolean) || 'unknown error'
  // The cause is often all that helps ("fetch failed", caused by ECONNREFUSED): it must not get lost on the wire.
  const details = chain.map(messageOf).filter((text) => text !== '' && !msg.includes(text))
  return { code: ErrorCode.internal, msg, ...(details.length === 0 ? {} : { details: details.join('; ') }) }
}

function textMember(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw new CniError(ErrorCode.decodingFailure, `error document: ${name}: expected a string, got ${typeof value}`)
}

/** The error, then what it aggregates, then its causes: depth first, each once. */
function reachable(error: unknown): object[] {
  const found = new Set<object>()
  const pending = [error]
  while (pending.length > 0) {
    const one = pending.pop()
    if (typeof one !== 'object' || one === null || found.has(one)) continue
    found.add(one)
    const { cause, errors } = one as { cause?: unknown; errors?: unknown }
    pending.push(cause, ...(one instanceof AggregateError && Array.isArray(errors) ? errors.toReversed() : []))
  }
  return [...found]
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) || unnamed(error) : String(error)
  } catch {
    // An object without a prototype, or one that throws when it is read: nothing to say about it.
    return ''
  }
}

/** What stands for an error without a text; an aggregate is told by its members. */
function unnamed(error: Error): string {
  return error instanceof AggregateError ? '' : String(error.name)
}
