/** First line of an error's stack in V8's format: name and message. */
export function headerOf(error: Error): string {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}

/** Stack frames of an error's stack, one a line. Omits the first line, which contains name and message. */
export function framesOf(stack: string): string[] {
  return stack.split('\n').filter((line) => line.startsWith('    at '))
}

/** Stack of an error in V8's format: name and message, then the frames. */
export function stackOf(error: Error): string {
  const { stack } = error
  if (typeof stack !== 'string') return headerOf(error)
  return stack.startsWith('    at ') || stack === '' ? `${headerOf(error)}\n${stack}`.trimEnd() : stack.trimEnd()
}
