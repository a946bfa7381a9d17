import type { Memory } from '../host.ts'

/** The bytes of a buffer or a view, not copied. */
export function bytesOf(view: Memory): Uint8Array {
  return view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}
