/** The permissions in the mode of a file, which also says what kind of file it is. */
export function permissionsOf({ mode }: { readonly mode: number | bigint }): number {
  return Number(mode) & 0o7777
}

/** Whether the owner may read the file. */
export function isReadable(mode: number): boolean {
  return (mode & 0o400) !== 0
}

/** The permissions, with those of the owner when these are missing. */
export function readable(mode: number): number {
  return isReadable(mode) ? mode : mode | 0o600
}

/** Why permissions are put right. */
export function wrongPermissions(actual: number, wanted: number): string {
  return `mode is ${octal(actual)}, not ${octal(wanted)}`
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
