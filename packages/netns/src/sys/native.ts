/** Signatures of libc functions: `i` int, `l` long (a bigint), `p` pointer. */
export type Signatures = Readonly<Record<string, string>>

/** libc functions that `Sys` lacks, because only some programs need them. */
export interface Native<F> {
  readonly functions: F
  /** Memory address of a buffer. The address is valid while the caller keeps a reference to the buffer. */
  addressOf(buffer: Uint8Array): number | bigint
  /** Errno of the last libc call. */
  errno(): number
}

/** Converts signatures of libc functions to the declarations that an FFI expects. */
export function declared<T>(signatures: Signatures, declare: (letters: readonly string[], name: string) => T) {
  return Object.fromEntries(Object.entries(signatures).map(([name, letters]) => [name, declare([...letters], name)]))
}
