import { type AnyNode, type Program, parse } from 'acorn'

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

/** A node, and what it is of which other. */
export interface Place {
  readonly node: AnyNode
  readonly key: string
  readonly parent: AnyNode | undefined
}

/** A node and all in it. Not by recursion: a sum of ten thousand texts is as deep. */
export function* nodesIn(root: AnyNode): Generator<Place> {
  const open: Place[] = [{ node: root, key: '', parent: undefined }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place
    for (const { node, key } of childrenOf(place.node)) open.push({ node, key, parent: place.node })
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

// A node among the members of a node, which are of all kinds: what is no node has no type.
const isNode = (value: unknown): value is AnyNode => typeof value === 'object' && value !== null && 'type' in value
