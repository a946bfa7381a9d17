/** The permissions in the mode of a file, which also says what kind of file it is. */
export function permissionsOf({ mode }: { readonly mode: number | bigint }): number {
  return Number(mode) & 0o7777
}

/** Why permissions are put right. */
export function wrongPermissions(actual: number, wanted: number): string {
  return `mode is 0${actual.toString(8)}, not 0${wanted.toString(8)}`
}
