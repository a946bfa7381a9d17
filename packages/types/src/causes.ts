import { type CniError, carriedBy } from './errors.ts'

/** Lists the error, the members of an `AggregateError`, and the causes. Depth first, each error once. */
export function reachable(error: unknown): object[] {
  return walk([error], () => true).filter((one) => typeof one === 'object' && one !== null)
}

/**
 * Explains a {@link CniError} without `details`: joins the messages of its causes that its own message does not
 * contain.
 * Returns `''` if nothing is left. A cause of another class that carries a CNI code only reports its own `details`.
 */
export function whyOf(error: object): string {
  if (!isCniErrorItself(error) || error.details) return ''
  const causes = walk(behind(error), (one) => carriedBy(one) === undefined || isCniErrorItself(one))
  const words = causes.flatMap((one) => [textOf(one), detailsOf(one)])
  return [...new Set(words)].filter((text) => !error.message.includes(text)).join('; ')
}

/** Message of a thrown value; `''` if it has none. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) || unnamed(error) : String(error)
  } catch {
    // An object without a prototype, or one with a getter that throws, has no readable message.
    return ''
  }
}

/**
 * Walks causes and aggregated errors, depth first, each once, beginning with the last value of `start`.
 * Follows the causes of an error only if `goOn` returns true for it.
 */
function walk(start: readonly unknown[], goOn: (error: object) => boolean): unknown[] {
  const found = new Set<unknown>()
  const pending = [...start]
  while (pending.length > 0) {
    const one = pending.pop()
    if (one === undefined || one === null || found.has(one)) continue
    found.add(one)
    if (typeof one === 'object' && one !== null && goOn(one)) pending.push(...behind(one))
  }
  return [...found]
}

/** Aggregated errors in reverse order, and the cause before them. The caller takes the last one first. */
function behind(error: object): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  return [cause, ...(error instanceof AggregateError && Array.isArray(errors) ? errors.toReversed() : [])]
}

/**
 * True for `CniError` but not for its subclasses. Compares names, because each bundle has its own copy of the class.
 */
function isCniErrorItself(error: object): error is CniError {
  return error instanceof Error && error.name === 'CniError'
}

function detailsOf(error: unknown): string {
  return (typeof error === 'object' && error !== null && carriedBy(error)?.details) || ''
}

/** Text for an error without a message. The members of an aggregate report their own messages. */
function unnamed(error: Error): string {
  return error instanceof AggregateError ? '' : String(error.name)
}
