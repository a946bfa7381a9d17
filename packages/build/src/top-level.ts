import type { AnyNode, Expression } from 'acorn'
import { childrenOf, isMemberName, parseScript, type Statement } from './script-tree.ts'

/** A piece of the top level of a bundle, as esbuild writes one that is not minified. */
export interface Piece {
  readonly start: number
  readonly end: number
  /**
   * What it declares, if it does nothing else, and can be anywhere before its first use: a function, a variable without a
   * value, a module that is evaluated when it is first imported, or the object of its exports. `undefined` for anything
   * that happens when the bundle is started.
   */
  readonly declares: Declared | undefined
  /** The calls without arguments that happen when the bundle is started, `init_other()`. */
  readonly calls: readonly Call[]
  /** Whether that is all it does. */
  readonly onlyCalls: boolean
  readonly uses: Uses
}

export interface Declared {
  readonly name: string
  readonly as: 'function' | 'variable' | 'exports'
  /** Where its own name is. */
  readonly at: { readonly start: number; readonly end: number }
  /** What a module does when it is evaluated. */
  readonly evaluates?: Evaluated | undefined
}

/** A block of statements, from one brace to the other. */
export interface Evaluated {
  /** Of its file, from where esbuild works. */
  readonly path: string
  readonly start: number
  readonly end: number
  /** Behind its directives, or its first brace. */
  readonly first: number
  /** The calls without arguments in it, `init_other()`: where it has other modules evaluated. */
  readonly calls: readonly Call[]
  /** Where it has modules of Node, and others of CommonJS, before all else: `a = require_a()`. */
  readonly opening: { readonly start: number; readonly end: number }
  /** The calls behind that, and before all else. */
  readonly leading: readonly Call[]
  /** What it does behind them: where that starts, at a comma perhaps, and what it uses. */
  readonly rest: { readonly start: number; readonly uses: Uses }
  readonly isStrict: boolean
  /** Whether that is all it does. */
  readonly onlyCalls: boolean
}

/** A call of a function by its name. */
export interface Call {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The names that are used at some place. Among them are some that nobody declared, and members of nothing. */
export interface Uses {
  readonly names: ReadonlySet<string>
  /** What is only used by an `import()`. */
  readonly imports: readonly DynamicImport[]
}

/** What became of an `import()` of a module in the bundle: where its value is computed, and from what. */
export interface DynamicImport {
  readonly start: number
  readonly end: number
  readonly names: ReadonlySet<string>
}

/**
 * The top level of a bundle in pieces, in their order; `undefined` for one that is nested too deep to be read. No name means
 * two things in it: esbuild renames whatever is inside of a function and called like something outside.
 */
export function topLevelOf(text: string): readonly Piece[] | undefined {
  return parseScript(text)?.body.flatMap(piecesOf)
}

// internal

function piecesOf(statement: Statement): Piece[] {
  const { type, start, end } = statement
  if (type === 'FunctionDeclaration') {
    return [piece(statement, { name: statement.id.name, as: 'function', at: statement.id })]
  }
  if (type === 'VariableDeclaration' && statement.kind === 'var') {
    const variables = statement.declarations.map((one) =>
      one.id.type === 'Identifier' && isInert(one.init)
        ? piece(one, { name: one.id.name, as: 'variable', at: one.id, evaluates: evaluatedBy(one.init) })
        : undefined,
    )
    if (variables.every((one) => one !== undefined)) return variables
  }
  const exporting = type === 'ExpressionStatement' ? exportsOf(statement.expression) : undefined
  if (exporting !== undefined) return [piece(statement, { name: exporting.name, as: 'exports', at: exporting })]
  const steps = stepsOf(statement)
  const calls = steps.flatMap(callsOf)
  return [{ start, end, declares: undefined, calls, onlyCalls: calls.length === steps.length, uses: usesOf(statement) }]
}

const piece = (node: AnyNode, declares: Declared): Piece => ({
  start: node.start,
  end: node.end,
  declares,
  calls: [],
  onlyCalls: false,
  uses: usesOf(node),
})

/** Whether nothing happens when it is evaluated: a module that waits to be imported, or the object for its exports. */
function isInert(value: Expression | null | undefined): boolean {
  if (value === null || value === undefined) return true
  if (value.type === 'ObjectExpression') return value.properties.length === 0
  return value.type === 'CallExpression' && value.callee.type === 'Identifier' && WAITING.test(value.callee.name)
}

/** The body of `__esm({ "file.ts"() { … } })`. */
function evaluatedBy(value: Expression | null | undefined): Evaluated | undefined {
  if (value?.type !== 'CallExpression' || value.callee.type !== 'Identifier') return undefined
  const [modules] = value.arguments
  if (!ESM.test(value.callee.name) || modules?.type !== 'ObjectExpression') return undefined
  const [module] = modules.properties
  if (module?.type !== 'Property' || module.value.type !== 'FunctionExpression' || module.value.async) return undefined
  const { start, end, body } = module.value.body
  const directives = body.filter((statement) => 'directive' in statement && statement.directive !== undefined)
  const steps = body.slice(directives.length).flatMap(stepsOf)
  const calls = steps.flatMap(callsOf)
  const first = directives.at(-1)?.end ?? start + 1
  return {
    path: module.key.type === 'Literal' ? String(module.key.value) : '',
    start,
    end,
    first,
    calls,
    onlyCalls: calls.length === steps.length,
    ...leadingOf(body.slice(directives.length), first),
    isStrict: directives.some((statement) => 'directive' in statement && statement.directive === 'use strict'),
  }
}

/** What comes first, the calls behind it, and what is behind them. */
function leadingOf(body: readonly Statement[], first: number): Pick<Evaluated, 'opening' | 'leading' | 'rest'> {
  const leading: Call[] = []
  const opening: AnyNode[] = []
  let start = first
  const found = (uses: Uses) => {
    const end = opening.at(-1)?.end ?? first
    return { opening: { start: first, end }, leading, rest: { start: Math.max(start, end), uses } }
  }
  for (const [index, statement] of body.entries()) {
    const steps = stepsOf(statement)
    const own = leading.length > 0 ? 0 : firstOther(steps, isOpening)
    opening.push(...steps.slice(0, own))
    const other = own + firstOther(steps.slice(own), (step) => callsOf(step).length > 0 || isNothing(step))
    leading.push(...steps.slice(own, other).flatMap(callsOf))
    if (other === steps.length) {
      start = statement.end
      continue
    }
    start = steps[other - 1]?.end ?? start
    return found(usesOf([...opening, ...steps.slice(other)], body.slice(index + 1)))
  }
  return found(usesOf(opening))
}

/** How many of them, from the first on, are such. */
function firstOther(steps: readonly AnyNode[], is: (step: AnyNode) => boolean): number {
  const other = steps.findIndex((step) => !is(step))
  return other < 0 ? steps.length : other
}

/** `a = require_a()` */
const isOpening = (step: AnyNode): boolean =>
  step.type === 'AssignmentExpression' &&
  step.left.type === 'Identifier' &&
  callsOf(step.right).some(({ name }) => name.startsWith('require_'))

/** `void 0`, as a call that has become none. */
const isNothing = (step: AnyNode): boolean =>
  step.type === 'UnaryExpression' && step.operator === 'void' && step.argument.type === 'Literal'

/** What a statement does one after the other: `a(), b(), c = 1`. */
function stepsOf(statement: Statement): AnyNode[] {
  if (statement.type !== 'ExpressionStatement') return [statement]
  const { expression } = statement
  return expression.type === 'SequenceExpression' ? expression.expressions : [expression]
}

function callsOf(step: AnyNode): Call[] {
  if (step.type !== 'CallExpression' || step.callee.type !== 'Identifier' || step.arguments.length > 0) return []
  return [{ name: step.callee.name, start: step.start, end: step.end }]
}

/** esbuild's own; a number follows where a source has such a name as well. */
const WAITING = /^__(?:esm|commonJS)\d*$/
const ESM = /^__esm\d*$/
const EXPORTING = /^__export\d*$/

/** Whose exports a statement `__export(object, { … })` defines. */
function exportsOf(expression: Expression): { name: string; start: number; end: number } | undefined {
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'Identifier') return undefined
  const [object] = expression.arguments
  return EXPORTING.test(expression.callee.name) && object?.type === 'Identifier' ? object : undefined
}

function usesOf(...nodes: readonly (AnyNode | readonly AnyNode[])[]): Uses {
  const names = new Set<string>()
  const imports: DynamicImport[] = []
  for (const node of nodes.flat()) collect(node, names, imports)
  return { names, imports }
}

/** Not by recursion: a sum of ten thousand texts is as deep. */
function collect(root: AnyNode, names: Set<string>, imports: DynamicImport[]): void {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'Identifier') names.add(node.name)
    const imported = importedBy(node)
    if (imported !== undefined) {
      const used = new Set<string>()
      collect(imported, used, imports)
      imports.push({ start: imported.start, end: imported.end, names: used })
      continue
    }
    for (const { node: child, key } of childrenOf(node)) if (!isMemberName(node, key)) open.push(child)
  }
}

/** What an `import()` comes to: `b, c` of `Promise.resolve().then(() => (b, c))`. */
function importedBy(node: AnyNode): Expression | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const { object, property } = node.callee
  if (property.type !== 'Identifier' || property.name !== 'then' || object.type !== 'CallExpression') return undefined
  if (object.callee.type !== 'MemberExpression' || object.arguments.length > 0) return undefined
  if (object.callee.object.type !== 'Identifier' || object.callee.object.name !== 'Promise') return undefined
  const [answer] = node.arguments
  if (answer?.type !== 'ArrowFunctionExpression' || answer.params.length > 0) return undefined
  return answer.body.type === 'BlockStatement' ? undefined : answer.body
}
