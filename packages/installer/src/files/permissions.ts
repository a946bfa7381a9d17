/** Permission bits of a file's mode, without the bits of the file type. */
export function permissionsOf({ mode }: { readonly mode: number | bigint }): number {
  return Number(mode) & 0o7777
}

/** True if the mode of a file permits its owner to read the file. */
export function isReadable(mode: number): boolean {
  return (mode & 0o400) !== 0
}

/**
 * Adds the owner's read and write permission to a mode without the owner's read permission. Returns other modes
 * unchanged.
 */
export function readable(mode: number): number {
  return isReadable(mode) ? mode : mode | 0o600
}

/** Reason that the installer reports when it changes the permissions of a file. */
export function wrongPermissions(actual: number, wanted: number): string {
  return `mode is ${octal(actual)}, not ${octal(wanted)}`
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
