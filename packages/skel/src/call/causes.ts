/** The stack of an error and those of what it aggregates and of its causes. */
export function stackOf(error: Error): string {
  return [error, ...causesOf(error)]
    .map((one) => (one instanceof Error ? one.stack : undefined) ?? String(one))
    .join('\ncaused by ')
}

/** What an error aggregates and its causes, each once; a log needs no more of them than this. */
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

/** An object that is no error has no text of its own, and may have none at all. */
const isTellable = (one: unknown): boolean => one instanceof Error || typeof one === 'string'

/** Last one first. */
function behind(error: unknown): unknown[] {
  if (!(error instanceof Error)) return []
  try {
    return [error.cause, ...(error instanceof AggregateError ? error.errors.toReversed() : [])]
  } catch {
    // A member that throws when it is read: the failure must be reported all the same.
    return []
  }
}
