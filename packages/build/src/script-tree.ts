import { type AnyNode, type BlockStatement, type Program, parse } from 'acorn'

/** The tree of a script; `undefined` for one that is nested too deep to be read. */
export function parseScript(text: string): Program | undefined {
  try {
    return parse(text, { ecmaVersion: 'latest', allowHashBang: true })
  } catch (error) {
    // The bundler has read it: a list in a list in a list, a thousand times, is no reason to refuse a plugin.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

export type Statement = Program['body'][number]

/** Whose variables are those of one call: the body of a function, or the script. */
export type Body = BlockStatement | Program

/** A node, and what it is of which other. */
export interface Place {
  readonly node: AnyNode
  readonly key: string
  readonly parent: AnyNode | undefined
  /** In which it is evaluated, unless it does not see the variables there: as parameters and members of classes. */
  readonly body: Body | undefined
}

/**
 * A node and all in it. Not by recursion: a sum of ten thousand texts is as deep.
 *
 * @param body - that of the node
 */
export function* nodesIn(root: AnyNode, body?: Body): Generator<Place> {
  const open: Place[] = [{ node: root, key: '', parent: undefined, body }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place
    for (const { node, key } of childrenOf(place.node)) {
      open.push({ node, key, parent: place.node, body: bodyOf(place, node, key) })
    }
  }
}

/** The nodes that are members of one. */
export function* childrenOf(parent: AnyNode): Generator<{ readonly node: AnyNode; readonly key: string }> {
  for (const [key, value] of Object.entries(parent)) {
    for (const node of Array.isArray(value) ? value : [value]) if (isNode(node)) yield { node, key }
  }
}

/** What only looks like a use: `a.name` and `{ name: a }` have nothing to do with what is called `name`. */
export function isMemberName(parent: AnyNode, key: string): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return key === 'property' && !parent.computed
    case 'Property':
      return key === 'key' && !parent.computed && !parent.shorthand
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return key === 'key' && !parent.computed
    default:
      return false
  }
}

function bodyOf({ node: parent, body }: Place, node: AnyNode, key: string): Body | undefined {
  switch (parent.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return key === 'body' && node.type === 'BlockStatement' ? node : undefined
    case 'ClassBody':
      return undefined
    default:
      return body
  }
}

// A node among the members of a node, which are of all kinds: what is no node has no type.
const isNode = (value: unknown): value is AnyNode => typeof value === 'object' && value !== null && 'type' in value
