import type { AnyNode, Program } from 'acorn'
import { declaredBy, namesOf } from './declared-names.ts'
import { type Edit, edited } from './edited.ts'
import { type Body, placesIn } from './own-places.ts'
import { isMemberName, nodesIn, type Place, parseScript, type Statement } from './script-tree.ts'

/**
 * Makes elements of one array of the functions and variables at the top level of a bundle. bun makes an entry of a table for
 * each name there that some function uses, at every start and used or not, and of an element nothing: a sixth of what
 * VERSION of `istio-cni` executes. When it calls a function for the first time, it looks up every name from outside, as
 * often as it stands there: so each function has the array in a variable of its own.
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
  const { functions, variables } = namesAtTop(program, nodes)
  const names = [...functions, ...variables]
  if (names.length === 0) return text
  const [array, own] = [unusedName(text, '__top'), unusedName(text, '__own')]
  const printer = new Printer(text, new Map(names.map((name, index) => [name, index])), { array, own })
  const isElement = (statement: Statement): boolean =>
    statement.type === 'FunctionDeclaration' && functions.includes(statement.id.name)
  const elements = program.body.filter(isElement)
  const others = program.body.filter((statement) => !isElement(statement))
  const directives = others.filter((statement) => 'directive' in statement)
  return [
    text.slice(0, program.body[0]?.start ?? 0),
    ...directives.map((statement) => text.slice(statement.start, statement.end)),
    // Functions are there from the beginning.
    `var ${array} = [${elements.map((statement) => printer.print(statement, program)).join(',\n')}];`,
    `var ${own} = ${array};`,
    ...others
      .filter((statement) => !directives.includes(statement))
      .map((statement) => printer.statement(statement, program)),
  ].join('\n')
}

// internal

const isUnseenUse = ({ node }: Place): boolean =>
  node.type === 'WithStatement' || (node.type === 'Identifier' && node.name === 'eval')

/** What becomes an element: what is declared there, and nowhere else. */
function namesAtTop(program: Program, nodes: readonly Place[]) {
  const often = new Map<string, number>()
  for (const { node } of nodes) for (const name of declaredBy(node)) often.set(name, (often.get(name) ?? 0) + 1)
  const functions: string[] = []
  const variables: string[] = []
  for (const statement of program.body) {
    if (statement.type === 'FunctionDeclaration') functions.push(statement.id.name)
    if (isPlainVar(statement)) variables.push(...statement.declarations.flatMap(({ id }) => namesOf(id)))
  }
  const isOnce = (name: string): boolean => often.get(name) === 1
  return { functions: functions.filter(isOnce), variables: variables.filter(isOnce) }
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

class Printer {
  readonly #text: string
  readonly #indices: ReadonlyMap<string, number>
  /** What the array is called for all, and in a body that uses it several times. */
  readonly #names: { readonly array: string; readonly own: string }

  constructor(
    text: string,
    indices: ReadonlyMap<string, number>,
    names: { readonly array: string; readonly own: string },
  ) {
    this.#text = text
    this.#indices = indices
    this.#names = names
  }

  statement(statement: Statement, program: Program): string {
    if (!isPlainVar(statement)) return this.print(statement, program)
    return statement.declarations
      .map((one) => {
        const [name = ''] = namesOf(one.id)
        const index = this.#indices.get(name)
        if (index === undefined) return `var ${this.print(one, program)};`
        // From behind its name: what is in parentheses starts before its node.
        return one.init ? `${this.#names.own}[${index}]${this.print(one, program, one.id.end)};` : ''
      })
      .join('\n')
  }

  /** A part of the text in which names are what they have become. */
  print(root: AnyNode, body: Body, from = root.start): string {
    const uses = [...placesIn(root, body)].filter((place) => this.#isUse(place) && place.node.start >= from)
    const often = new Map<Body, number>([[body, 2]])
    for (const { body: of } of uses) if (of !== undefined) often.set(of, (often.get(of) ?? 0) + 1)
    const isOften = (of: Body | undefined): of is Body => of !== undefined && (often.get(of) ?? 0) > 1
    const { array, own } = this.#names
    const edits = new Map<number, Edit>()
    for (const place of uses) {
      const { start, end } = place.node
      // A name that is short for a member and its value is a node for each.
      if (edits.has(start) && !isShort(place.parent)) continue
      edits.set(start, { start, end, text: this.#element(place, isOften(place.body) ? own : array) })
    }
    const declarations = [...often.keys()].flatMap((of): Edit[] => {
      const start = of === body || !isOften(of) ? undefined : startOf(of)
      return start === undefined ? [] : [{ start, end: start, text: `var ${own} = ${array};` }]
    })
    return edited(this.#text, [...declarations, ...edits.values()], { start: from, end: root.end })
  }

  #isUse({ node, key, parent }: Place): boolean {
    return node.type === 'Identifier' && this.#indices.has(node.name) && parent !== undefined && !isLabel(parent, key)
  }

  #element({ node, key, parent }: Place, array: string): string {
    const name = node.type === 'Identifier' ? node.name : ''
    const element = `${array}[${this.#indices.get(name)}]`
    if (isShort(parent)) return `${name}: ${element}`
    const isCalled =
      (parent?.type === 'CallExpression' && key === 'callee') ||
      (parent?.type === 'TaggedTemplateExpression' && key === 'tag')
    // As a function, not as a method of the array.
    return isCalled ? `(0, ${element})` : element
  }
}

/** Behind its directives, or its brace. */
function startOf({ type, start, body }: Body): number {
  const directives = body.filter((statement) => 'directive' in statement)
  return directives.at(-1)?.end ?? (type === 'Program' ? start : start + 1)
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
