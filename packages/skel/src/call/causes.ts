/** The stack of an error and those of what it aggregates and of its causes. */
export function stackOf(error: Error): string {
  return [error, ...causesOf(error)]
    .map((one) => (one instanceof Error ? one.stack : undefined) ?? String(one))
    .join('\ncaused by ')
}

/** The causes of an error and the errors it aggregates, each once and a few at most: enough for a log. */
export function causesOf(error: unknown): unknown[] {
  const found = new Set<unknown>()
  const pending = behind(error)
  while (pending.length > 0 && found.size < 7) {
    const one = pending.pop()
    if (!isTellable(one) || one === error || found.has(one)) continue
    found.add(one)
    pending.push(...behind(one))
  }
  return [...found]
}

/** Objects that are not errors are left out, because they may have no text. */
const isTellable = (one: unknown): boolean => one instanceof Error || typeof one === 'string'

/** The errors directly behind one, the last first: they are taken from the end. */
function behind(error: unknown): unknown[] {
  if (!(error instanceof Error)) return []
  try {
    return [error.cause, ...(error instanceof AggregateError ? error.errors.toReversed() : [])]
  } catch {
    // A member throws when it is read, and the failure must be reported all the same.
    return []
  }
}
