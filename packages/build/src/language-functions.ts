import type { AnyNode, CallExpression, Identifier, MemberExpression, NewExpression } from 'acorn'
import { type Edit, edited } from './edited.ts'
import { nodesIn, type Place, parseScript } from './script-tree.ts'

/**
 * Has a bundle call functions of its own for some of the language, which bun has as texts: it makes each when it is first
 * called, in 40 to 100 µs, and of those in the bundle there is bytecode.
 *
 * The result is the same, for lists of all kinds. Only where the function that is given is named, or written, there: then
 * it does not matter which is looked at first, it or the list.
 *
 * @param text - CommonJS by esbuild, which has not shortened its names.
 * @param functions - `language/functions.ts`, as JavaScript
 */
export function ownLanguageFunctions(text: string, functions: string): string {
  const program = parseScript(text)
  if (program === undefined) return text
  const own = new Map([...functionsIn(functions)].filter(([name]) => !text.includes(name)))
  const places = [...nodesIn(program)]
  // Another `Promise` than that of the language.
  const declared = new Set<string | undefined>(
    places.flatMap(({ node, ...place }) => (isName(node) && declares(place) ? [node.name] : [])),
  )
  const used = new Set<string>()
  const edits = places.flatMap(({ node }): Edit[] => {
    const found = replacementIn(text, node)
    if (found === undefined || !own.has(found.name) || declared.has(found.of)) return []
    used.add(found.name)
    return found.edits
  })
  return [edited(text, edits), ...[...used].map((name) => own.get(name))].join('\n')
}

// internal

const METHODS: Readonly<Record<string, readonly [name: string, count: number]>> = {
  map: ['ownMap', 1],
  filter: ['ownFilter', 1],
  flatMap: ['ownFlatMap', 1],
  forEach: ['ownForEach', 1],
  some: ['ownSome', 1],
  every: ['ownEvery', 1],
  find: ['ownFind', 1],
  findIndex: ['ownFindIndex', 1],
  findLast: ['ownFindLast', 1],
  reduce: ['ownReduce', 2],
}

const OF_OBJECT: Readonly<Record<string, string>> = { fromEntries: 'ownFromEntries', hasOwn: 'ownHasOwn' }

/** The texts of the functions in a script, by their names. */
function functionsIn(text: string): ReadonlyMap<string, string> {
  const body = parseScript(text)?.body ?? []
  const functions = body.flatMap((statement) => (statement.type === 'FunctionDeclaration' ? [statement] : []))
  return new Map(functions.map(({ id, start, end }) => [id.name, text.slice(start, end)]))
}

interface Replacement {
  /** Of the function that is called instead. */
  readonly name: string
  /** The name that it belongs to; of a method there is none. */
  readonly of: string | undefined
  readonly edits: Edit[]
}

function replacementIn(text: string, node: AnyNode): Replacement | undefined {
  if (node.type === 'NewExpression') return promise(node)
  if (node.type !== 'CallExpression' || node.optional || node.callee.type !== 'MemberExpression') return undefined
  const { callee } = node
  if (callee.optional || callee.computed || callee.property.type !== 'Identifier') return undefined
  const { name } = callee.property
  if (callee.object.type === 'Identifier' && callee.object.name === 'Object') return ofObject(node, callee, name)
  return method(text, node, callee, name)
}

function promise({ callee, arguments: [executor, ...others], start }: NewExpression): Replacement | undefined {
  const isOne = callee.type === 'Identifier' && callee.name === 'Promise' && others.length === 0 && isWritten(executor)
  return isOne
    ? { name: 'ownPromise', of: 'Promise', edits: [{ start, end: callee.end, text: 'ownPromise' }] }
    : undefined
}

function ofObject(call: CallExpression, { start, end }: MemberExpression, member: string): Replacement | undefined {
  const name = Object.hasOwn(OF_OBJECT, member) ? OF_OBJECT[member] : undefined
  if (name === undefined || call.arguments.some(({ type }) => type === 'SpreadElement')) return undefined
  return { name, of: 'Object', edits: [{ start, end, text: name }] }
}

function method(
  text: string,
  call: CallExpression,
  { object }: MemberExpression,
  member: string,
): Replacement | undefined {
  const [name, count] = Object.hasOwn(METHODS, member) ? (METHODS[member] ?? []) : []
  const [first] = call.arguments
  if (name === undefined || call.arguments.length !== count || first === undefined || !isNamed(first)) return undefined
  if (object.type === 'Super' || isInChain(object)) return undefined
  // Between the two nothing but what closes a parenthesis, the member, and what opens one.
  const between = /^([\s)]*)\.\s*\w+\s*\(\s*$/.exec(text.slice(object.end, first.start))
  if (between === null) return undefined
  const dot = object.end + (between[1]?.length ?? 0)
  return {
    name,
    of: undefined,
    edits: [
      { start: call.start, end: call.start, text: `${name}(` },
      { start: dot, end: first.start, text: ', ' },
    ],
  }
}

const isName = (node: AnyNode): node is Identifier => node.type === 'Identifier'

/** Whether a name is declared or assigned there, or may be: better one too many. */
function declares({ key, parent }: Omit<Place, 'node'>): boolean {
  if (parent?.type === 'Property') return key === 'value'
  if (parent?.type === 'BinaryExpression' || parent?.type === 'LogicalExpression') return false
  return (
    ['id', 'params', 'param', 'left', 'local'].includes(key) ||
    /^(?:ArrayPattern|RestElement)$/.test(parent?.type ?? '')
  )
}

const isWritten = (node: AnyNode | undefined): boolean =>
  node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression'

const isNamed = (node: AnyNode): boolean => isName(node) || isWritten(node)

/** Whether there is a `?.` before, where all behind it may be left out. One in parentheses is a node of its own. */
function isInChain(node: AnyNode): boolean {
  for (let at = node; ; ) {
    if (at.type !== 'MemberExpression' && at.type !== 'CallExpression') return false
    if (at.optional) return true
    at = at.type === 'MemberExpression' ? at.object : at.callee
  }
}
