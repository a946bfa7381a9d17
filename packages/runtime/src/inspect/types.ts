// Implements Node's `util.types`, for the types that JavaScript code can distinguish.

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)
const AsyncFunction = (async () => {}).constructor
const GeneratorFunction = function* () {}.constructor

export const types = {
  isDate: (value: unknown): boolean => value instanceof Date,
  isRegExp: (value: unknown): boolean => value instanceof RegExp,
  isNativeError: (value: unknown): boolean => value instanceof Error,
  isMap: (value: unknown): boolean => value instanceof Map,
  isSet: (value: unknown): boolean => value instanceof Set,
  isWeakMap: (value: unknown): boolean => value instanceof WeakMap,
  isWeakSet: (value: unknown): boolean => value instanceof WeakSet,
  isPromise: (value: unknown): boolean => value instanceof Promise,
  isArrayBuffer: (value: unknown): boolean => value instanceof ArrayBuffer,
  isSharedArrayBuffer: (value: unknown): boolean => tagOf(value) === 'SharedArrayBuffer',
  isAnyArrayBuffer: (value: unknown): boolean => /^(Shared)?ArrayBuffer$/.test(tagOf(value)),
  isArrayBufferView: (value: unknown): boolean => ArrayBuffer.isView(value),
  isTypedArray: (value: unknown): boolean => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isUint8Array: (value: unknown): boolean => value instanceof Uint8Array,
  isDataView: (value: unknown): boolean => value instanceof DataView,
  isAsyncFunction: (value: unknown): boolean => value instanceof AsyncFunction,
  isGeneratorFunction: (value: unknown): boolean => value instanceof GeneratorFunction,
  isBoxedPrimitive: (value: unknown): boolean =>
    value instanceof Number || value instanceof String || value instanceof Boolean,
}
