/**
 * libc functions by name. Each letter is the type of an argument: `i` int, `l` long (a bigint), `p` pointer. All return
 * int.
 */
export type Signatures = Readonly<Record<string, string>>

/** libc functions that only some programs need. */
export interface Native<F> {
  readonly functions: F
  /** Address of a buffer, valid while the caller holds the buffer. */
  addressOf(buffer: Uint8Array): number | bigint
  /** Errno of the last call. */
  errno(): number
}

/** Converts every signature to the declaration that an FFI expects. */
export function declared<T>(signatures: Signatures, declare: (letters: readonly string[], name: string) => T) {
  return Object.fromEntries(Object.entries(signatures).map(([name, letters]) => [name, declare([...letters], name)]))
}
