import { isObject } from '@cni/types'
import type { core } from 'zod/mini'
import { describeSchema } from './describe.ts'
import { quoteValue } from './quote.ts'
import { COMPARED, suggestionFor } from './unknown-members.ts'
import { hasOwnMessage, schemaAt, shapeOf } from './walk.ts'

type Path = readonly PropertyKey[]

/** Describes each invalid configuration member, because zod/mini only says "Invalid input". */
export function describeIssues(
  schema: core.$ZodType,
  issues: readonly core.$ZodIssue[],
  input: unknown,
  whole = 'configuration',
): string[] {
  const sentences = issues
    .flatMap((issue) => leaves(issue, input))
    .flatMap((issue) => describe(schema, issue, input, whole))
  return [...new Set(sentences)]
}

function describe(schema: core.$ZodType, issue: core.$ZodIssue, input: unknown, whole: string): string[] {
  if (issue.code === 'unrecognized_keys') return describeUnknown(schema, issue, input, whole)
  const where = pathText(issue.path) || whole
  const value = valueAt(input, issue.path)
  const wanted = expectation(schemaAt(schema, issue.path), issue)
  if (value === undefined) return [`${where}: missing, ${wanted}`]
  return [`${where}: ${wanted}, got ${quoteValue(value, issue.path)}`]
}

function describeUnknown(
  schema: core.$ZodType,
  { path, keys }: { readonly path: Path; readonly keys: readonly string[] },
  input: unknown,
  whole: string,
): string[] {
  const at = schemaAt(schema, path)
  const names = at === undefined ? [] : Object.keys(shapeOf(at) ?? {})
  const given = valueAt(input, path)
  const left = keys.length - COMPARED
  const sentences = keys.slice(0, COMPARED).map((key) => {
    const suggestion = suggestionFor(key, names, isObject(given) ? given : {})
    return `${pathText([...path, key])}: unknown member${suggestion === undefined ? '' : `, did you mean ${suggestion}?`}`
  })
  return left <= 0 ? sentences : [...sentences, `${pathText(path) || whole}: ${left} more unknown members`]
}

function expectation(schema: core.$ZodType | undefined, issue: core.$ZodIssue): string {
  const isOwn = issue.code === 'custom' || (schema !== undefined && hasOwnMessage(schema))
  if (isOwn && !issue.message.startsWith('Invalid input')) return issue.message
  if (issue.code === 'custom') return 'not accepted'
  const described = schema === undefined ? undefined : describeSchema(schema)
  return `expected ${described ?? fromIssue(issue)}`
}

/** Describes the expected value from the zod issue alone, for example inside a union. */
function fromIssue(issue: core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `a value of type ${issue.expected}`
    case 'invalid_value':
      return `one of ${issue.values.map((value) => quoteText(String(value))).join(', ')}`
    case 'too_small':
      return `at least ${issue.minimum}`
    case 'too_big':
      return `at most ${issue.maximum}`
    case 'invalid_format':
      return `a value in the format ${issue.format}`
    default:
      return 'another value'
  }
}

/** Returns the zod issues to report. For a union, returns the closest branch's issues. */
function leaves(issue: core.$ZodIssue, input: unknown): core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || typeof valueAt(input, issue.path) !== 'object') return [issue]
  const [closest] = issue.errors.filter((branch) => branch.length > 0).sort((a, b) => a.length - b.length)
  if (closest === undefined) return [issue]
  return closest.flatMap((inner) => leaves({ ...inner, path: [...issue.path, ...inner.path] }, input))
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** Formats the path of a configuration member as users write it: `selector.labels[0]`. */
export function pathText(path: Path): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else if (/^[\w-]+$/.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`
    else text += `[${quoteText(String(key))}]`
  }
  return text
}

const quoteText = (text: string): string => JSON.stringify(text)
