import { define } from '../define.ts'
import { framesOf, headerOf } from '../stack.ts'

/** Implements V8's `Error.captureStackTrace`: sets `stack` without the frames up to `above`. */
function captureStackTrace(target: object, above?: { readonly name: string }): void {
  const frames = framesOf(new Error().stack ?? '').slice(1)
  const at = above === undefined ? -1 : frames.findIndex((line) => line.startsWith(`    at ${above.name} (`))
  const header = target instanceof Error ? headerOf(target) : 'Error'
  define(target, 'stack', [header, ...frames.slice(at + 1)].join('\n'))
}

if (!('captureStackTrace' in Error)) define(Error, 'captureStackTrace', captureStackTrace)
if (!('stackTraceLimit' in Error)) Object.assign(Error, { stackTraceLimit: 10 })
