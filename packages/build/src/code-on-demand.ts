import type { CodeGroup } from './code-group.ts'
import { type CodeByUse, codeByUse } from './code-groups.ts'
import { dominators } from './dominators.ts'
import { type Edit, edited } from './edited.ts'
import { type EvaluatedByGroups, evaluatedByGroups, modulesOf } from './evaluated-by-groups.ts'
import { type DynamicImport, type Evaluated, type Piece, topLevelOf, type Uses } from './top-level.ts'

/**
 * Moves what only `import()` leads to into functions, called where an `import()` is reached that needs them. bun makes
 * something of every function and every variable at the top level of a bundle whenever it is started, used or not, and
 * there esbuild puts all of them: of the 2000 in `istio-cni` that takes 2 ms.
 *
 * When a module is evaluated is as esbuild says, whose calls stay where they are; only what they call is simpler. Where that
 * makes no difference, a group evaluates its modules when it is loaded. What several groups use remains a variable of the
 * top level, which its own group gives a value.
 *
 * @param text - CommonJS by esbuild, which has not shortened its names.
 * @param isPure - of the path of a module: nothing depends on when it is evaluated. Default: of none.
 */
export function codeOnDemand(text: string, isPure: (path: string) => boolean = () => false): string {
  const pieces = topLevelOf(text)
  // `eval` could use any name, unseen.
  if (pieces === undefined || pieces.some(({ uses }) => uses.names.has('eval'))) return text
  const code = codeByUse(pieces)
  const { always, groups } = code
  if (groups.length === 0) return text
  const printer = new Printer(text, pieces, { code, evaluated: evaluatedByGroups(text, code, isPure) })
  return [
    text.slice(0, pieces[0]?.start ?? 0),
    printer.helpers(),
    ...always.map((piece) => printer.piece(piece)),
    ...(printer.shared.size === 0 ? [] : [`var ${[...printer.shared].join(', ')};`]),
    // Declarations, which are there from the beginning.
    ...printer.groupsIn(START),
  ].join('\n')
}

// internal

/** What is there when the bundle is started. */
const START = Symbol('start')
/** Where a group can be declared. */
type Place = CodeGroup | typeof START

class Printer {
  /** What is declared in one group and used elsewhere. */
  readonly shared: ReadonlySet<string>
  readonly #text: string
  readonly #imports: readonly DynamicImport[]
  readonly #groups = new Map<string, CodeGroup>()
  readonly #functions: ReadonlyMap<CodeGroup, string>
  readonly #names: { readonly done: string; readonly failed: string }
  readonly #inside: ReadonlyMap<Place, readonly CodeGroup[]>
  readonly #evaluated: EvaluatedByGroups

  constructor(
    text: string,
    pieces: readonly Piece[],
    { code: { always, groups }, evaluated }: { code: CodeByUse; evaluated: EvaluatedByGroups },
  ) {
    this.#text = text
    this.#evaluated = evaluated
    this.#imports = pieces.flatMap(({ uses }) => uses.imports).sort((a, b) => a.start - b.start)
    for (const group of groups) for (const name of group.names) this.#groups.set(name, group)
    const unused = (name: string): string => (text.includes(name) ? unused(`${name}_`) : name)
    const prefix = unused('__load')
    this.#functions = new Map(groups.map((group, index) => [group, `${prefix}${index}`]))
    this.#names = { done: unused('__done'), failed: unused('__failed') }
    this.shared = new Set(pieces.flatMap((piece) => this.#foreign(piece)))
    this.#inside = this.#nested(always)
  }

  /** The groups that are declared in that one. */
  groupsIn(place: Place): readonly string[] {
    return (this.#inside.get(place) ?? []).map((group) => this.group(group))
  }

  /** Where each group is declared: in the one that all ways to it go through. What is not declared takes no time. */
  #nested(always: readonly Piece[]): ReadonlyMap<Place, readonly CodeGroup[]> {
    const inside = new Map<Place, CodeGroup[]>()
    const usedBy = (pieces: readonly Piece[]): readonly CodeGroup[] =>
      pieces.flatMap(({ uses }) => namesIn(uses)).flatMap((name) => this.groupOf(name) ?? [])
    const next = (place: Place) => usedBy(place === START ? always : place.pieces)
    for (const [group, place] of dominators<Place>(START, next)) {
      if (group !== START) inside.set(place, [...(inside.get(place) ?? []), group])
    }
    return inside
  }

  groupOf(name: string | undefined): CodeGroup | undefined {
    return name === undefined ? undefined : this.#groups.get(name)
  }

  /** What a module, or a group, is once it is there, or has failed. */
  helpers(): string {
    const { done, failed } = this.#names
    return `function ${done}() {}\nfunction ${failed}(error) { return () => { throw error } }`
  }

  /** A function that declares what is in a group, once, after what that uses. */
  group(group: CodeGroup): string {
    const name = this.#functions.get(group)
    const used = group.pieces.flatMap(({ uses }) => [...uses.names])
    const before = this.#calls(used, group).map((call) => `${call};`)
    const evaluated = this.#evaluated.groups.get(group)
    const pieces = group.pieces.filter(({ declares }) => evaluated === undefined || declares?.evaluates === undefined)
    const body = [
      `${evaluated?.isStrict ? '"use strict"; ' : ''}${name} = ${this.#names.done};`,
      ...before,
      ...pieces.map((piece) => this.piece(piece)),
      ...this.groupsIn(group),
      ...(evaluated === undefined ? [] : [this.#evaluation(group)]),
    ]
    return `function ${name}() {\n${body.join('\n')}\n}`
  }

  /** Evaluates the modules of a group: a function that fails does so ever after. */
  #evaluation(group: CodeGroup): string {
    const name = this.#functions.get(group)
    const modules = modulesOf(group).map(({ evaluates: { first, end } }) => `{${this.#print(first, end)}`)
    return `try {${modules.join('\n')}} catch (error) { ${name} = ${this.#names.failed}(error); throw error }`
  }

  piece({ start, end, declares }: Piece): string {
    if (declares === undefined || declares.as === 'exports') return this.#print(start, end)
    const { as, name, at, evaluates } = declares
    if (evaluates !== undefined) return this.#module(name, evaluates)
    if (as === 'variable') {
      if (!this.shared.has(name)) return `var ${this.#print(start, end)};`
      return at.end === end ? '' : `${this.#print(start, end)};`
    }
    if (!this.shared.has(name)) return this.#print(start, end)
    return `${name} = ${this.#print(start, at.start)}${this.#print(at.end, end)};`
  }

  /**
   * A module as a function that evaluates it once, and throws what that threw ever after. esbuild's `__esm` does the same with
   * two functions and an object for each, which for the 300 modules of an ADD takes 0.6 ms more.
   */
  #module(name: string, { start, end, first }: Evaluated): string {
    const evaluate = `${name} = ${this.#names.done}; try {${this.#print(first, end)} catch (error) { ${name} = ${this.#names.failed}(error); throw error }`
    const text = `() ${this.#text.slice(start, first)} ${evaluate} }`
    return this.shared.has(name) ? `${name} = function${text};` : `function ${name}${text}`
  }

  #foreign({ declares, uses }: Piece): string[] {
    const own = this.groupOf(declares?.name)
    return namesIn(uses).filter((name) => this.#groups.has(name) && this.groupOf(name) !== own)
  }

  /** The calls that make sure of names that are not in that group. */
  #calls(names: Iterable<string>, own?: CodeGroup): string[] {
    const groups = new Set([...names].map((name) => this.groupOf(name)))
    return [...groups].flatMap((group) => {
      return group === undefined || group === own ? [] : [`${this.#functions.get(group)}()`]
    })
  }

  /** A part of the text, where each `import()` calls first what it needs. */
  #print(start: number, end: number): string {
    const isInside = (one: { readonly start: number; readonly end: number }) => one.start >= start && one.end <= end
    const before = this.#imports.filter(isInside).flatMap((one): Edit[] => {
      const calls = this.#calls(one.names)
      if (calls.length === 0) return []
      return [
        { start: one.start, end: one.start, text: `(${calls.join(', ')}, ` },
        { start: one.end, end: one.end, text: ')' },
      ]
    })
    return edited(this.#text, [...before, ...this.#evaluated.calls.filter(isInside)], { start, end })
  }
}

const namesIn = ({ names, imports }: Uses): readonly string[] => [...names, ...imports.flatMap((one) => [...one.names])]
