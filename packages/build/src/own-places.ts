import type { AnyNode, BlockStatement, Program } from 'acorn'
import { childrenOf, type Place } from './script-tree.ts'

/** Whose variables are those of one call: the body of a function, or the script. */
export type Body = BlockStatement | Program

/** A node, and the body in which it is evaluated where that has variables: not what parameters and members of classes are. */
export interface OwnPlace extends Place {
  readonly body: Body | undefined
}

/** A node in a body and all in it, with the bodies in which they are. */
export function* placesIn(root: AnyNode, body: Body): Generator<OwnPlace> {
  const open: OwnPlace[] = [{ node: root, key: '', parent: undefined, body }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place
    for (const { node, key } of childrenOf(place.node)) {
      open.push({ node, key, parent: place.node, body: bodyOf(place, node, key) })
    }
  }
}

// internal

function bodyOf({ node: parent, body }: OwnPlace, node: AnyNode, key: string): Body | undefined {
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
