import { type CniError, carriedBy } from './errors.ts'

/**
 * Lists an error together with its causes, and with the members of each `AggregateError`. Visits the errors depth
 * first, each error once.
 */
export function reachable(error: unknown): object[] {
  return walk([error], () => true).filter((one) => typeof one === 'object' && one !== null)
}

/**
 * Text that explains a {@link CniError} without `details`: the messages and details of its causes. Omits a text that
 * the error's own message contains. Returns `''` if no text is left. Does not search the causes of an error of another
 * class that has a CNI code.
 */
export function whyOf(error: object): string {
  if (!isCniErrorItself(error) || error.details) return ''
  const causes = walk(behind(error), (one) => carriedBy(one) === undefined || isCniErrorItself(one))
  const words = causes.flatMap((one) => [textOf(one), detailsOf(one)])
  return [...new Set(words)].filter((text) => !error.message.includes(text)).join('; ')
}

/** Message of a thrown value of any type. `''` if the value has no message. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) || unnamed(error) : String(error)
  } catch {
    // Returns no message: the thrown value has no prototype, or its getter throws.
    return ''
  }
}

/**
 * Collects the errors in `start`, their causes and their aggregated errors, each error once. The search is depth first
 * and begins with the last error in `start`. The search skips the causes of an error if `goOn` returns false for the
 * error.
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

/**
 * Errors to which an error refers directly: its cause and its aggregated errors. The aggregated errors are in reverse
 * order, because the search continues with the last error of the list.
 */
function behind(error: object): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  return [cause, ...(error instanceof AggregateError && Array.isArray(errors) ? errors.toReversed() : [])]
}

/**
 * True for an error of the class `CniError`, false for its subclasses. Compares class names, because each bundle has
 * its own copy of the class.
 */
function isCniErrorItself(error: object): error is CniError {
  return error instanceof Error && error.name === 'CniError'
}

function detailsOf(error: unknown): string {
  return (typeof error === 'object' && error !== null && carriedBy(error)?.details) || ''
}

/**
 * Text for an error without a message. An aggregate error gets no text, because the search finds its members' messages.
 */
function unnamed(error: Error): string {
  return error instanceof AggregateError ? '' : String(error.name)
}
