/** Message of a thrown value, which may be an error or any other value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Errno name of an error that the operating system reported, such as `ENOSPC`. `undefined` for any other error. */
export function errnoOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}
