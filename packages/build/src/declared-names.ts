import type { AnyNode, Pattern } from 'acorn'

/** The names that a node itself declares, in whatever scope. */
export function declaredBy(node: AnyNode): readonly string[] {
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

/** The names in a pattern such as `[a, { b, c: d = 1 }]`. */
export function namesOf(pattern: Pattern): readonly string[] {
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
