/**
 * Whether runtimes read a file of a net folder, by its name, case-sensitive: `.conf`, `.conflist` and `.json`, as containerd,
 * CRI-O and kubelet do. A `.json` file is a single configuration, as a `.conf` file is.
 */
export function isConfName(name: string): boolean {
  return SINGLE.test(name) || name.endsWith(LIST)
}

/** The name that a file has once it holds a list: `x.conf` and `x.json` become `x.conflist`, all others stay. */
export function conflistName(name: string): string {
  return name.replace(SINGLE, LIST)
}

/** The other names that an explicitly named file may be found under: `x.conflist` for `x.conf`, and the reverse. */
export function alternativeNames(name: string): readonly string[] {
  if (SINGLE.test(name)) return [conflistName(name)]
  if (!name.endsWith(LIST)) return []
  const stem = name.slice(0, -LIST.length)
  return [`${stem}.conf`, `${stem}.json`]
}

const LIST = '.conflist'
const SINGLE = /\.(?:conf|json)$/

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
