import type { CodeGroup } from './code-group.ts'

/** What a group is small by: bun takes as long to load one as for four functions that nobody calls. */
const FUNCTIONS = 4
const CHARACTERS = 4000

/**
 * The same with fewer groups: what is small becomes part of a group that more `import()`s lead to, of those the one that the
 * fewest do, where they lead to all that it uses as well. An ADD of `istio-cni` that the node agent serves then
 * executes 0.8 % less.
 */
export function withoutSmallGroups(groups: readonly CodeGroup[]): CodeGroup[] {
  const joined = new Joined(groups)
  for (const group of groups.filter(isSmall).sort((a, b) => a.pieces.length - b.pieces.length)) joined.join(group)
  return joined.groups()
}

// internal

/** Without a module: to evaluate that takes as long as it takes, and may fail. */
const isSmall = ({ pieces }: CodeGroup): boolean =>
  pieces.every(({ declares }) => declares?.evaluates === undefined) &&
  pieces.filter(({ declares }) => declares?.as === 'function').length <= FUNCTIONS &&
  pieces.reduce((sum, { start, end }) => sum + end - start, 0) <= CHARACTERS

/** Groups of which some are parts of others. */
class Joined {
  /** The pieces of each group that is left, in the order of the text. */
  readonly #left: Map<CodeGroup, CodeGroup['pieces']>
  /** In which group each name is declared now. */
  readonly #groupOf: Map<string, CodeGroup>

  constructor(groups: readonly CodeGroup[]) {
    this.#left = new Map(groups.map((group) => [group, group.pieces]))
    this.#groupOf = new Map(groups.flatMap((group) => [...group.names].map((name) => [name, group] as const)))
  }

  /** Makes a group part of another, if there is one for it. */
  join(group: CodeGroup): void {
    const own = this.#left.get(group) ?? []
    const used = this.#usedBy(group, own)
    const [other] = [...this.#left.keys()]
      .filter((one) => isLedToBy(one, group) && used.every((each) => each === one || isLedToBy(each, one)))
      .sort((a, b) => a.imports.length - b.imports.length)
    if (other === undefined) return
    const pieces = [...(this.#left.get(other) ?? []), ...own].sort((a, b) => a.start - b.start)
    this.#left.set(other, pieces)
    this.#left.delete(group)
    for (const { declares } of own) if (declares !== undefined) this.#groupOf.set(declares.name, other)
  }

  groups(): CodeGroup[] {
    return [...this.#left].map(([{ imports }, pieces]) => ({
      imports,
      pieces,
      names: new Set(pieces.flatMap(({ declares }) => declares?.name ?? [])),
    }))
  }

  #usedBy(group: CodeGroup, pieces: CodeGroup['pieces']): CodeGroup[] {
    const used = new Set(pieces.flatMap(({ uses }) => [...uses.names].map((name) => this.#groupOf.get(name))))
    return [...used].flatMap((one) => (one === undefined || one === group ? [] : [one]))
  }
}

/** Whether all `import()`s that lead to `other` lead to `one` as well, and more of them. */
function isLedToBy(one: CodeGroup, other: CodeGroup): boolean {
  const own = new Set(one.imports)
  return one.imports.length > other.imports.length && other.imports.every((each) => own.has(each))
}
