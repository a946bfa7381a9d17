import { types } from '../../inspect/types.ts'

export const {
  isAnyArrayBuffer,
  isArrayBuffer,
  isArrayBufferView,
  isAsyncFunction,
  isBoxedPrimitive,
  isDataView,
  isDate,
  isGeneratorFunction,
  isMap,
  isNativeError,
  isPromise,
  isRegExp,
  isSet,
  isSharedArrayBuffer,
  isTypedArray,
  isUint8Array,
  isWeakMap,
  isWeakSet,
} = types

export default types
