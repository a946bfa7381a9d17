/** The line that V8's stacks begin with. */
export function headerOf(error: Error): string {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}

/** The frames of a stack, without the line of name and message. */
export function framesOf(stack: string): string[] {
  return stack.split('\n').filter((line) => line.startsWith('    at '))
}

/** The stack of an error as V8 writes it: name and message, then the frames. */
export function stackOf(error: Error): string {
  const { stack } = error
  if (typeof stack !== 'string') return headerOf(error)
  return stack.startsWith('    at ') || stack === '' ? `${headerOf(error)}\n${stack}`.trimEnd() : stack.trimEnd()
}
