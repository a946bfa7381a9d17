import type { AnyNode, Program } from 'acorn'
import { declaredBy, namesOf } from './declared-names.ts'
import { type Edit, edited } from './edited.ts'
import { type Body, isMemberName, nodesIn, type Place, parseScript, type Statement } from './script-tree.ts'

/**
 * Makes elements of one array of the functions and variables at the top level of a bundle. bun makes an entry of a table for
 * each name there that some function uses, at every start and used or not, and of an element nothing: a sixth of what
 * VERSION of `istio-cni` executes. When it calls a function for the first time, it looks up every name from outside, as
 * often as it stands there: so a function that uses several elements has the array in a variable of its own.
 *
 * A name that is declared anywhere else as well stays what it is, and so does all of a text in which a name can be used
 * unseen. A function that has its name from its variable has none any more: for bundles whose names are shortened.
 *
 * @param text - a CommonJS script
 */
export function inOneArray(text: string): string {
  const program = parseScript(text)
  if (program === undefined) return text
  const nodes = [...nodesIn(program)]
  if (nodes.some(isUnseenUse)) return text
  const elements = elementsOf(program, nodes)
  if (elements.size === 0) return text
  const [array, own] = [unusedName(text, '__top'), unusedName(text, '__own')]
  const printer = new Printer(text, program, { elements, array, own })
  const isElement = (statement: Statement): boolean =>
    statement.type === 'FunctionDeclaration' && elements.has(statement.id.name)
  const functions = program.body.filter(isElement)
  const others = program.body.filter((statement) => !isElement(statement))
  const directives = others.filter((statement) => 'directive' in statement)
  return [
    text.slice(0, program.body[0]?.start ?? 0),
    ...directives.map((statement) => printer.print(statement)),
    // Functions are there from the beginning.
    `var ${array} = [${functions.map((statement) => printer.print(statement)).join(',\n')}];`,
    `var ${own} = ${array};`,
    ...others.filter((statement) => !directives.includes(statement)).map((statement) => printer.statement(statement)),
  ].join('\n')
}

// internal

const isUnseenUse = ({ node }: Place): boolean =>
  node.type === 'WithStatement' || (node.type === 'Identifier' && node.name === 'eval')

/** What becomes an element, and which: functions first. */
function elementsOf(program: Program, nodes: readonly Place[]): ReadonlyMap<string, number> {
  const functions: string[] = []
  const variables: string[] = []
  for (const statement of program.body) {
    if (statement.type === 'FunctionDeclaration') functions.push(statement.id.name)
    if (isPlainVar(statement)) variables.push(...statement.declarations.flatMap(({ id }) => namesOf(id)))
  }
  const often = new Map<string, number>()
  for (const { node } of nodes) for (const name of declaredBy(node)) often.set(name, (often.get(name) ?? 0) + 1)
  const once = [...functions, ...variables].filter((name) => often.get(name) === 1)
  return new Map(once.map((name, index) => [name, index]))
}

/** `var a, b = 1`, and no pattern among them. */
function isPlainVar(statement: Statement): statement is Statement & { type: 'VariableDeclaration' } {
  return (
    statement.type === 'VariableDeclaration' &&
    statement.kind === 'var' &&
    statement.declarations.every(({ id }) => id.type === 'Identifier')
  )
}

function unusedName(text: string, name: string): string {
  return text.includes(name) ? unusedName(text, `${name}_`) : name
}

interface Names {
  /** Which element each name becomes. */
  readonly elements: ReadonlyMap<string, number>
  /** What the array is called for all. */
  readonly array: string
  /** What it is called in a body that uses several of its elements. */
  readonly own: string
}

class Printer {
  readonly #text: string
  readonly #program: Program
  readonly #names: Names

  constructor(text: string, program: Program, names: Names) {
    this.#text = text
    this.#program = program
    this.#names = names
  }

  statement(statement: Statement): string {
    if (!isPlainVar(statement)) return this.print(statement)
    return statement.declarations
      .map((one) => {
        const [name = ''] = namesOf(one.id)
        if (!this.#names.elements.has(name)) return `var ${this.print(one)};`
        // From behind its name: what is in parentheses starts before its node.
        return one.init ? `${this.#element(name, this.#names.own)}${this.print(one, one.id.end)};` : ''
      })
      .join('\n')
  }

  /** A part of the text in which names are what they have become. */
  print(root: AnyNode, from = root.start): string {
    const { array, own } = this.#names
    const uses = [...nodesIn(root, this.#program)].filter((place) => this.#isUse(place) && place.node.start >= from)
    const bodies = withSeveral(uses).add(this.#program)
    const edits = new Map<number, Edit>()
    for (const place of uses) {
      const { node, parent, body } = place
      // A name that is short for a member and its value is a node for each.
      if (edits.has(node.start) && !isShort(parent)) continue
      const text = this.#use(place, body !== undefined && bodies.has(body) ? own : array)
      edits.set(node.start, { start: node.start, end: node.end, text })
    }
    const declarations = [...bodies].flatMap((body): Edit[] => {
      if (body === this.#program) return []
      const start = startOf(body)
      return [{ start, end: start, text: `var ${own} = ${array};` }]
    })
    return edited(this.#text, [...declarations, ...edits.values()], { start: from, end: root.end })
  }

  #isUse({ node, key, parent }: Place): boolean {
    if (node.type !== 'Identifier' || !this.#names.elements.has(node.name)) return false
    return parent !== undefined && !isLabel(parent, key)
  }

  #use({ node, key, parent }: Place, array: string): string {
    const name = node.type === 'Identifier' ? node.name : ''
    const element = this.#element(name, array)
    if (isShort(parent)) return `${name}: ${element}`
    const isCalled =
      (parent?.type === 'CallExpression' && key === 'callee') ||
      (parent?.type === 'TaggedTemplateExpression' && key === 'tag')
    // As a function, not as a method of the array.
    return isCalled ? `(0, ${element})` : element
  }

  #element(name: string, array: string): string {
    return `${array}[${this.#names.elements.get(name)}]`
  }
}

/** The bodies in which more than one of them stands. */
function withSeveral(uses: readonly Place[]): Set<Body> {
  const [once, several] = [new Set<Body>(), new Set<Body>()]
  for (const { body } of uses) if (body !== undefined) (once.has(body) ? several : once).add(body)
  return several
}

/** Behind the directives of a function, or its brace. */
function startOf({ start, body }: Body): number {
  const directives = body.filter((statement) => 'directive' in statement)
  return directives.at(-1)?.end ?? start + 1
}

/** `{ a }`, and `{ a = 1 } = b`. */
const isShort = (parent: AnyNode | undefined): boolean => parent?.type === 'Property' && parent.shorthand

/** What only looks like a use: the name of a member, of a function that is declared, of a loop. */
function isLabel(parent: AnyNode, key: string): boolean {
  switch (parent.type) {
    case 'FunctionDeclaration':
      return key === 'id'
    case 'BreakStatement':
    case 'ContinueStatement':
      return true
    default:
      return isMemberName(parent, key)
  }
}
