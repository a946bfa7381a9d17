import { type CniError, carriedBy } from './errors.ts'

/** Lists an error, its causes and its aggregated errors, depth first. */
export function reachable(error: unknown): object[] {
  return walk([error], () => true).filter((one) => typeof one === 'object' && one !== null)
}

/**
 * Explains a {@link CniError} without `details` by its causes. Omits texts that the error's message contains already.
 */
export function whyOf(error: object): string {
  if (!isCniErrorItself(error) || error.details) return ''
  const causes = walk(directCauses(error), (one) => carriedBy(one) === undefined || isCniErrorItself(one))
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

/** Collects errors with their causes, depth first. `goOn` returns false to skip an error's causes. */
function walk(start: readonly unknown[], shouldFollow: (error: object) => boolean): unknown[] {
  const found = new Set<unknown>()
  const pending = [...start]
  while (pending.length > 0) {
    const one = pending.pop()
    if (one === undefined || one === null || found.has(one)) continue
    found.add(one)
    if (typeof one === 'object' && one !== null && shouldFollow(one)) pending.push(...directCauses(one))
  }
  return [...found]
}

/** Direct causes of an error, reversed because the search continues with the last one. */
function directCauses(error: object): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  return [cause, ...(error instanceof AggregateError && Array.isArray(errors) ? errors.toReversed() : [])]
}

/** Compares class names, because each bundle has its own copy of the class. */
function isCniErrorItself(error: object): error is CniError {
  return error instanceof Error && error.name === 'CniError'
}

function detailsOf(error: unknown): string {
  return (typeof error === 'object' && error !== null && carriedBy(error)?.details) || ''
}

/** Text for an error without a message. Empty for an aggregate error. */
function unnamed(error: Error): string {
  return error instanceof AggregateError ? '' : String(error.name)
}
