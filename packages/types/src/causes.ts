import { type CniError, carriedBy } from './errors.ts'

/** The error, then what it aggregates, then its causes: depth first, each once. */
export function reachable(error: unknown): object[] {
  return walk([error], () => true).filter((one) => typeof one === 'object' && one !== null)
}

/**
 * Why a {@link CniError} without details of its own came about: the words of its causes that its message does not
 * have; `''` when there are none. A cause of another class that carries a code tells of itself what it wants to.
 */
export function whyOf(error: object): string {
  if (!isCniErrorItself(error) || error.details) return ''
  const causes = walk(behind(error), (one) => carriedBy(one) === undefined || isCniErrorItself(one))
  const words = causes.flatMap((one) => [textOf(one), detailsOf(one)])
  return [...new Set(words)].filter((text) => !error.message.includes(text)).join('; ')
}

/** The text of what was thrown; `''` when there is nothing to say about it. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) || unnamed(error) : String(error)
  } catch {
    // An object without a prototype, or one that throws when it is read: nothing to say about it.
    return ''
  }
}

/** What can be reached, depth first, each once; `goOn` says behind which errors. The last of `start` comes first. */
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

/** The cause of an error, and before it what it aggregates; the last one is the first to tell of. */
function behind(error: object): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  return [cause, ...(error instanceof AggregateError && Array.isArray(errors) ? errors.toReversed() : [])]
}

/** Not of a class made from it. The name, because bundles have copies of a class. */
function isCniErrorItself(error: object): error is CniError {
  return error instanceof Error && error.name === 'CniError'
}

function detailsOf(error: unknown): string {
  return (typeof error === 'object' && error !== null && carriedBy(error)?.details) || ''
}

/** What stands for an error without a text; an aggregate is told by its members. */
function unnamed(error: Error): string {
  return error instanceof AggregateError ? '' : String(error.name)
}
