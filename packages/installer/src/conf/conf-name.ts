/** Which files of a net folder runtimes read: `.conf` and `.conflist`, case-sensitive. */
export function isConfName(name: string): boolean {
  return name.endsWith('.conf') || name.endsWith('.conflist')
}

/** The name a file has once it holds a list: `x.conf` becomes `x.conflist`, all others stay. */
export function conflistName(name: string): string {
  return name.endsWith('.conf') ? `${name}list` : name
}

/** The other name an explicitly named file may be found under: `x.conf` for `x.conflist` and the reverse. */
export function alternativeName(name: string): string | undefined {
  if (name.endsWith('.conf')) return `${name}list`
  return name.endsWith('.conflist') ? name.slice(0, -'list'.length) : undefined
}

/** Where a plugin that stands alone is configured unless told otherwise: after all others. */
export function standaloneName(type: string): string {
  return `YYY-${type}.conf`
}

/** The order runtimes read a folder in: by bytes. An argument for `sort`. */
export function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
