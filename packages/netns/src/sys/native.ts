/** libc functions by name, with the letters of their arguments: `i` an int, `l` a long (a bigint), `p` a pointer. Each returns an int. */
export type Signatures = Readonly<Record<string, string>>

/** libc functions that only some programs need. */
export interface Native<F> {
  readonly functions: F
  /** Where a buffer is in memory, as long as somebody holds it. */
  addressOf(buffer: Uint8Array): number | bigint
  /** Of the last call. */
  errno(): number
}

/** Every signature as an FFI wants it. */
export function declared<T>(signatures: Signatures, declare: (letters: readonly string[], name: string) => T) {
  return Object.fromEntries(Object.entries(signatures).map(([name, letters]) => [name, declare([...letters], name)]))
}
