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
  const end = Math.min(a.length, b.length)
  for (let at = 0; at < end; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Halves of a surrogate pair stand for more than any other UTF-16 unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
