import type { Memory } from '../host.ts'

/** Returns the bytes of a buffer or typed array as a Uint8Array, without a copy. */
export function bytesOf(view: Memory): Uint8Array {
  return view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}
