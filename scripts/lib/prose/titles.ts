import ts from 'typescript'
import { lineAt, type Passage } from './comments.ts'

const SUITES = new Set(['it', 'test', 'describe'])

/**
 * Finds the titles of tests and suites: the first argument of `it`, `test`, `describe` and variants such as
 * `it.each(…)`.
 */
export function titlesOf(file: ts.SourceFile): Passage[] {
  const found: Passage[] = []
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && SUITES.has(calledName(node.expression))) {
      const [title] = node.arguments
      if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
        found.push({ line: lineAt(file, title.getStart(file)), text: title.getText(file).slice(1, -1) })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

// internal

/** Name of a called test function: `it` for `it`, `it.skip`, `it.each(table)` and `it.runIf(root)`. */
function calledName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return calledName(callee.expression)
  return ''
}
