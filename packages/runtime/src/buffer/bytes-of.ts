import type { Memory } from '../host.ts'

/** Bytes of a buffer or a view, without a copy. */
export function bytesOf(view: Memory): Uint8Array {
  return view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}
