/**
 * Globals of Node that the small runtime lacks. A test compares the list with Node and with the runtime.
 */
export const ABSENT_GLOBALS = [
  'Blob',
  'BroadcastChannel',
  'Crypto',
  'File',
  'Navigator',
  'ByteLengthQueuingStrategy',
  'CompressionStream',
  'CountQueuingStrategy',
  'CryptoKey',
  'DecompressionStream',
  'FormData',
  'Headers',
  'Intl',
  'MessageChannel',
  'MessageEvent',
  'MessagePort',
  'Performance',
  'PerformanceEntry',
  'PerformanceMark',
  'PerformanceMeasure',
  'PerformanceObserver',
  'ReadableStream',
  'Request',
  'Response',
  'SubtleCrypto',
  'TextDecoderStream',
  'TextEncoderStream',
  'TransformStream',
  'WebAssembly',
  'WebSocket',
  'WritableStream',
  'PerformanceObserverEntryList',
  'PerformanceResourceTiming',
  'ReadableByteStreamController',
  'ReadableStreamBYOBReader',
  'ReadableStreamBYOBRequest',
  'ReadableStreamDefaultController',
  'ReadableStreamDefaultReader',
  'TransformStreamDefaultController',
  'WritableStreamDefaultController',
  'WritableStreamDefaultWriter',
  '__dirname',
  '__filename',
  'crypto',
  'eval',
  'fetch',
  'navigator',
] as const

const SUFFIX = '_is_not_in_the_small_runtime'

/** Map from each global that the small runtime lacks to a unique name, which marks uses of the global. */
export const absentGlobalDefines: Readonly<Record<string, string>> = Object.fromEntries(
  ABSENT_GLOBALS.map((name) => [name, `${name}${SUFFIX}`]),
)

/** Use of a global of Node in a bundle although the small runtime lacks the global. */
export interface AbsentGlobal {
  name: string
  /** Index in the bundle's text at which the global is used. */
  index: number
  /** True if the code only tests whether the global exists, for example with `typeof`. */
  isGuard: boolean
}

export const findAbsentGlobals = (text: string): AbsentGlobal[] =>
  Array.from(
    text.matchAll(new RegExp(`(typeof )?\\b(\\w+)${SUFFIX}\\b`, 'g')),
    ({ index, 1: guard, 2: name = '' }) => ({
      name,
      index: index + (guard ?? '').length,
      isGuard: guard !== undefined,
    }),
  )
