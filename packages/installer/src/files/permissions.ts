/** Permission bits of a file's mode, without its type. */
export function permissionsOf({ mode }: { readonly mode: number | bigint }): number {
  return Number(mode) & 0o7777
}

/** True if the owner may read the file. */
export function isReadable(mode: number): boolean {
  return (mode & 0o400) !== 0
}

/** Adds read and write permission for the owner if the owner cannot read the file. */
export function readable(mode: number): number {
  return isReadable(mode) ? mode : mode | 0o600
}

/** Reason for a change of permissions. */
export function wrongPermissions(actual: number, wanted: number): string {
  return `mode is ${octal(actual)}, not ${octal(wanted)}`
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
