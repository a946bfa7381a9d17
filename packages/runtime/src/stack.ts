/** Formats the first line of an error's stack as V8 does: name and message. */
export function headerOf(error: Error): string {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}

/** Returns the stack frames of an error's stack, without the first line, which contains name and message. */
export function framesOf(stack: string): string[] {
  return stack.split('\n').filter((line) => line.startsWith('    at '))
}

/** Formats the stack of an error as V8 does: name and message, then the frames. */
export function stackOf(error: Error): string {
  const { stack } = error
  if (typeof stack !== 'string') return headerOf(error)
  return stack.startsWith('    at ') || stack === '' ? `${headerOf(error)}\n${stack}`.trimEnd() : stack.trimEnd()
}
