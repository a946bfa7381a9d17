import { AbortError, invalidType } from '../../errors.ts'
import { Immediate } from '../../loop/immediates.ts'
import { Timeout } from '../../loop/timers.ts'

interface Options {
  readonly ref?: boolean
  readonly signal?: AbortSignal
}

/** Starts a timer or immediate. Returns a promise that resolves when the timer fires. */
function waiting<T>(value: T, options: Options, start: (done: () => void) => Timeout | Immediate): Promise<T> {
  const { signal, ref = true } = options
  if (signal !== undefined && !('aborted' in signal)) {
    return Promise.reject(invalidType('options.signal', 'an instance of AbortSignal', signal))
  }
  if (signal?.aborted) return Promise.reject(new AbortError(signal.reason))
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      started[Symbol.dispose]()
      reject(new AbortError(signal?.reason))
    }
    const started = start(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve(value)
    })
    if (!ref) started.unref()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

export function setTimeout<T = void>(delay?: number, value?: T, options: Options = {}): Promise<T | undefined> {
  return waiting(value, options, (done) => new Timeout(done, Number(delay), false))
}

export function setImmediate<T = void>(value?: T, options: Options = {}): Promise<T | undefined> {
  return waiting(value, options, (done) => new Immediate(done))
}

export async function* setInterval<T = void>(
  delay?: number,
  value?: T,
  options: Options = {},
): AsyncGenerator<T | undefined> {
  for (;;) yield await setTimeout(delay, value, options)
}

export const scheduler = {
  wait: (delay: number, options?: Options): Promise<void> => setTimeout(delay, undefined, options),
  yield: (): Promise<void> => setImmediate(),
}

export default { setTimeout, setImmediate, setInterval, scheduler }
