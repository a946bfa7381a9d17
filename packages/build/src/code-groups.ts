import type { CodeGroup } from './code-group.ts'
import { withoutSmallGroups } from './small-groups.ts'
import type { Piece } from './top-level.ts'

/** A bundle's top level by what leads to it. */
export interface CodeByUse {
  /** What happens when the bundle is started, and all it can lead to without an `import()`. */
  readonly always: readonly Piece[]
  readonly groups: readonly CodeGroup[]
}

/**
 * Tells what is needed before any `import()` is reached from what is not, and leaves out what nobody uses. A group uses
 * itself, what is always there, and groups that more `import()`s lead to, all of its own among them: never in a circle.
 */
export function codeByUse(pieces: readonly Piece[]): CodeByUse {
  const usedBy = new Map<string, string[]>()
  for (const { declares, uses } of pieces) {
    if (declares !== undefined) usedBy.set(declares.name, [...(usedBy.get(declares.name) ?? []), ...uses.names])
  }
  const doing = pieces.filter(({ declares }) => declares === undefined)
  const atOnce = reachable(
    usedBy,
    doing.flatMap(({ uses }) => [...uses.names]),
  )
  const importsOf = new Map<string, number[]>()
  for (const [index, { names }] of pieces.flatMap(({ uses }) => uses.imports).entries()) {
    for (const name of reachable(usedBy, names)) {
      if (!atOnce.has(name)) importsOf.set(name, [...(importsOf.get(name) ?? []), index])
    }
  }
  const groups = new Map<string, { imports: readonly number[]; pieces: Piece[]; names: Set<string> }>()
  for (const piece of pieces) {
    const imports = piece.declares && importsOf.get(piece.declares.name)
    if (piece.declares === undefined || imports === undefined) continue
    const key = imports.join()
    const group = groups.get(key) ?? { imports, pieces: [], names: new Set() }
    group.pieces.push(piece)
    group.names.add(piece.declares.name)
    groups.set(key, group)
  }
  return {
    always: pieces.filter(({ declares }) => declares === undefined || atOnce.has(declares.name)),
    groups: withoutSmallGroups([...groups.values()]),
  }
}

/** The declared names among those, and all that their declarations use. */
function reachable(usedBy: ReadonlyMap<string, readonly string[]>, from: Iterable<string>): Set<string> {
  const found = new Set([...from].filter((name) => usedBy.has(name)))
  // A set is visited to its end, also what is added on the way.
  for (const name of found) for (const used of usedBy.get(name) ?? []) if (usedBy.has(used)) found.add(used)
  return found
}
