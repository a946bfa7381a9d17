/**
 * True if container runtimes read a file of this name. The name must end in `.conf`, `.conflist` or `.json`, in lower
 * case.
 */
export function isConfName(name: string): boolean {
  return SINGLE.test(name) || name.endsWith(LIST)
}

/** Name of a configuration file after its conversion to a list, such as `x.conflist`. */
export function conflistName(name: string): string {
  return name.replace(SINGLE, LIST)
}

/** Other names under which the same configuration may be stored: `x.conflist` for `x.conf`, and the reverse. */
export function alternativeNames(name: string): readonly string[] {
  if (SINGLE.test(name)) return [conflistName(name)]
  if (!name.endsWith(LIST)) return []
  const stem = name.slice(0, -LIST.length)
  return [`${stem}.conf`, `${stem}.json`]
}

const LIST = '.conflist'
const SINGLE = /\.(?:conf|json)$/

/** Default file name of a standalone plugin's configuration. `YYY-` makes the file sort after all other files. */
export function standaloneName(type: string): string {
  return `YYY-${type}.conf`
}

/**
 * Comparison function for `sort`: compares file names by their UTF-8 bytes. Container runtimes read the files of a
 * folder in this order.
 */
export function compareNames(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  for (let at = 0; at < end; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Rank of a UTF-16 code unit in the order of UTF-8 bytes. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
