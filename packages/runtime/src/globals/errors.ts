import { define } from '../define.ts'

/** The line that V8's stacks begin with. */
function headerOf(error: Error): string {
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

/** Sets `stack` of an object. The frames above `above`, itself included, are left out. */
function captureStackTrace(target: object, above?: { readonly name: string }): void {
  const frames = framesOf(new Error().stack ?? '').slice(1)
  const at = above === undefined ? -1 : frames.findIndex((line) => line.startsWith(`    at ${above.name} (`))
  const header = target instanceof Error ? headerOf(target) : 'Error'
  define(target, 'stack', [header, ...frames.slice(at + 1)].join('\n'))
}

if (!('captureStackTrace' in Error)) define(Error, 'captureStackTrace', captureStackTrace)
if (!('stackTraceLimit' in Error)) Object.assign(Error, { stackTraceLimit: 10 })
