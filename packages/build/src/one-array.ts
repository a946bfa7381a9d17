import type { AnyNode, Pattern, Program } from 'acorn'
import { type Edit, edited } from './edited.ts'
import { isMemberName, nodesIn, type Place, parseScript, type Statement } from './script-tree.ts'

/**
 * Makes elements of one array of the functions and variables at the top level of a bundle. bun makes an entry of a table for
 * each name there that some function uses, at every start and used or not, and of an element nothing: a sixth of what
 * VERSION of `istio-cni` executes.
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
  const array = unusedName(text, '__top')
  const printer = new Printer(text, new Map([...elements].map(([name, index]) => [name, `${array}[${index}]`])))
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
    if (isPlainVar(statement)) for (const { id } of statement.declarations) variables.push(nameOf(id))
  }
  const often = new Map<string, number>()
  for (const place of nodes) for (const name of declaredBy(place)) often.set(name, (often.get(name) ?? 0) + 1)
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

/** The names that a node itself declares, in whatever scope. */
function declaredBy({ node }: Place): readonly string[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...(node.id ? [node.id.name] : []), ...node.params.flatMap(namesOf)]
    case 'ClassDeclaration':
    case 'ClassExpression':
      return node.id ? [node.id.name] : []
    case 'VariableDeclarator':
      return namesOf(node.id)
    case 'CatchClause':
      return node.param ? namesOf(node.param) : []
    case 'LabeledStatement':
      return [node.label.name]
    default:
      return []
  }
}

function namesOf(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => namesOf(one.type === 'Property' ? one.value : one))
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one === null ? [] : namesOf(one)))
    case 'AssignmentPattern':
      return namesOf(pattern.left)
    case 'RestElement':
      return namesOf(pattern.argument)
    default:
      return []
  }
}

const nameOf = (id: Pattern): string => namesOf(id)[0] ?? ''

function unusedName(text: string, name: string): string {
  return text.includes(name) ? unusedName(text, `${name}_`) : name
}

class Printer {
  readonly #text: string
  readonly #elements: ReadonlyMap<string, string>

  constructor(text: string, elements: ReadonlyMap<string, string>) {
    this.#text = text
    this.#elements = elements
  }

  statement(statement: Statement): string {
    if (!isPlainVar(statement)) return this.print(statement)
    return statement.declarations
      .map((one) => {
        const element = this.#elements.get(nameOf(one.id))
        if (element === undefined) return `var ${this.print(one)};`
        // From behind its name: what is in parentheses starts before its node.
        return one.init ? `${element}${this.print(one, one.id.end)};` : ''
      })
      .join('\n')
  }

  /** A part of the text in which names are what they have become. */
  print(root: AnyNode, from = root.start): string {
    const edits = new Map<number, Edit>()
    for (const place of nodesIn(root)) {
      const { start, end } = place.node
      const text = start < from ? undefined : this.#use(place)
      // A name that is short for a member and its value is a node for each.
      if (text !== undefined && (!edits.has(start) || isShort(place.parent))) edits.set(start, { start, end, text })
    }
    return edited(this.#text, [...edits.values()], { start: from, end: root.end })
  }

  #use({ node, key, parent }: Place): string | undefined {
    if (node.type !== 'Identifier' || parent === undefined) return undefined
    const element = this.#elements.get(node.name)
    if (element === undefined || isLabel(parent, key)) return undefined
    if (isShort(parent)) return `${node.name}: ${element}`
    const isCalled =
      (parent.type === 'CallExpression' && key === 'callee') ||
      (parent.type === 'TaggedTemplateExpression' && key === 'tag')
    // As a function, not as a method of the array.
    return isCalled ? `(0, ${element})` : element
  }
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
