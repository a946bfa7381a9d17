import type { AnyNode } from 'acorn'
import type { CodeGroup } from './code-group.ts'
import type { CodeByUse } from './code-groups.ts'
import type { Edit } from './edited.ts'
import { nodesIn, parseScript } from './script-tree.ts'
import type { Evaluated, Piece } from './top-level.ts'

/** Modules that are evaluated by what loads their group. */
export interface EvaluatedByGroups {
  /** The groups, and whether what loads each is strict. */
  readonly groups: ReadonlyMap<CodeGroup, { readonly isStrict: boolean }>
  /** What becomes of the calls that would have evaluated them. */
  readonly calls: readonly Edit[]
}

/**
 * Tells which groups can evaluate their modules when they are loaded: all that an `import()` leads to is evaluated then, and
 * what loads one group comes behind what loads those that it uses. The order is another one only among modules that know
 * nothing of each other, and so only where all that is loaded together has no effect by being evaluated. A function for
 * each takes bun as long as some of its statements: an ADD of `istio-cni` that the node agent serves executes 2 % less.
 *
 * @param text - CommonJS by esbuild, which has not shortened its names.
 * @param isPure - of the path of a module: nothing depends on when it is evaluated.
 */
export function evaluatedByGroups(
  text: string,
  { groups }: CodeByUse,
  isPure: (path: string) => boolean,
): EvaluatedByGroups {
  const impure = new Set(groups.flatMap((group) => (strictness(group, isPure) === 'mixed' ? group.imports : [])))
  const chosen = new Map(
    groups.flatMap((group) => {
      const found = strictness(group, isPure)
      if (found === 'mixed' || found === 'none' || group.imports.some((one) => impure.has(one))) return []
      return [[group, { isStrict: found === 'strict' }] as const]
    }),
  )
  const names = new Map(
    [...chosen.keys()].flatMap((group) => modulesOf(group).map(({ name }) => [name, group] as const)),
  )
  const { calls, others } = usesIn(text, names)
  for (const name of others) {
    const group = names.get(name)
    if (group !== undefined) chosen.delete(group)
  }
  return { groups: chosen, calls: calls.flatMap(({ group, edit }) => (chosen.has(group) ? [edit] : [])) }
}

/** The modules in a group, in the order in which they are evaluated. */
export function modulesOf({ pieces }: Pick<CodeGroup, 'pieces'>): { name: string; evaluates: Evaluated }[] {
  return pieces.flatMap(({ declares }: Piece) =>
    declares?.evaluates === undefined ? [] : [{ name: declares.name, evaluates: declares.evaluates }],
  )
}

// internal

function strictness(group: CodeGroup, isPure: (path: string) => boolean): 'strict' | 'sloppy' | 'none' | 'mixed' {
  const modules = modulesOf(group).map(({ evaluates }) => evaluates)
  const [first] = modules
  if (first === undefined) return 'none'
  if (modules.some(({ path, isStrict }) => !isPure(path) || isStrict !== first.isStrict)) return 'mixed'
  return first.isStrict ? 'strict' : 'sloppy'
}

/** Where the modules are evaluated, and which are used in another way. */
function usesIn(text: string, names: ReadonlyMap<string, CodeGroup>) {
  const program = parseScript(text)
  const calls: { group: CodeGroup; edit: Edit }[] = []
  const others = new Set<string>()
  for (const { node, key, parent } of program === undefined ? [] : nodesIn(program)) {
    if (node.type !== 'Identifier' || isDeclared(parent, key)) continue
    const group = names.get(node.name)
    if (group === undefined) continue
    if (parent?.type === 'CallExpression' && key === 'callee' && parent.arguments.length === 0) {
      calls.push({ group, edit: { start: parent.start, end: parent.end, text: 'void 0' } })
    } else others.add(node.name)
  }
  return { calls, others }
}

const isDeclared = (parent: AnyNode | undefined, key: string): boolean =>
  parent?.type === 'VariableDeclarator' && key === 'id'
