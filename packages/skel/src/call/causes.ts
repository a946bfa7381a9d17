/** Stack of an error, with the stacks of its aggregated errors and causes. */
export function stackOf(error: Error): string {
  return [error, ...causesOf(error)]
    .map((one) => (one instanceof Error ? one.stack : undefined) ?? String(one))
    .join('\ncaused by ')
}

/** Causes and aggregated errors of an error, for the log. */
export function causesOf(error: unknown): unknown[] {
  const found = new Set<unknown>()
  const pending = directCauses(error)
  while (pending.length > 0 && found.size < 7) {
    const one = pending.pop()
    if (!isPrintable(one) || one === error || found.has(one)) continue
    found.add(one)
    pending.push(...directCauses(one))
  }
  return [...found]
}

/** True for a cause that is an error or a string. Other causes may have no message. */
const isPrintable = (one: unknown): boolean => one instanceof Error || typeof one === 'string'

/** Returns an error's direct causes in reverse order, for a caller that pops them. */
function directCauses(error: unknown): unknown[] {
  if (!(error instanceof Error)) return []
  try {
    return [error.cause, ...(error instanceof AggregateError ? error.errors.toReversed() : [])]
  } catch {
    // The getter `cause` threw, so the error counts as an error without a cause.
    return []
  }
}
