import type { core } from 'zod/mini'
import { type Limits, limitsOf } from './limits.ts'
import { unwrap } from './walk.ts'

const FORMATS: Readonly<Record<string, string>> = {
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 network such as 10.0.0.0/8',
  cidrv6: 'an IPv6 network such as fd00::/8',
  mac: 'a MAC address',
  url: 'a URL',
  email: 'an e-mail address',
  uuid: 'a UUID',
  base64: 'base64 text',
}

/** Describes in words the values that a zod schema accepts, such as "a positive integer". */
export function describeSchema(schema: core.$ZodType): string | undefined {
  const plain = unwrap(schema)
  const { def } = plain._zod
  switch (def.type) {
    case 'string':
      return text(limitsOf(plain))
    case 'number':
      return number(limitsOf(plain))
    case 'boolean':
      return 'true or false'
    case 'enum':
      return oneOf(Object.values(def.entries))
    case 'literal':
      return oneOf(def.values)
    case 'array':
      return list(def.element, limitsOf(plain))
    case 'union':
      return union(def.options)
    case 'object':
    case 'record':
    case 'map':
      return 'an object'
    case 'tuple':
      return `a list of ${def.items.length}`
    case 'null':
      return 'null'
    case 'unknown':
    case 'any':
      return 'any value'
    case 'never':
      return 'nothing here'
    default:
      return undefined
  }
}

function text({ formats, patterns, low = 0, high }: Limits): string {
  const known = formats.map((format) => FORMATS[format]).find((words) => words !== undefined)
  if (known !== undefined) return known
  const matching = patterns.length === 0 ? '' : ` that matches ${patterns.join(' and ')}`
  if (low === 1 && high === undefined) return `a non-empty string${matching}`
  return `a string${size(low, high, 'character')}${matching}`
}

function number({ formats, low, lowExclusive, high, highExclusive }: Limits): string {
  const isInteger = formats.some((format) => format.includes('int'))
  const noun = isInteger ? 'integer' : 'number'
  const article = isInteger ? 'an' : 'a'
  if (low === 0 && lowExclusive && high === undefined) return `a positive ${noun}`
  // Converts exclusive bounds of an integer to inclusive bounds.
  const from = low !== undefined && lowExclusive && isInteger ? low + 1 : low
  const to = high !== undefined && highExclusive && isInteger ? high - 1 : high
  if (from !== undefined && to !== undefined) return `${article} ${noun} from ${from} to ${to}`
  if (to !== undefined) return `${article} ${noun} ${highExclusive && !isInteger ? 'below' : 'of at most'} ${to}`
  if (from === undefined) return `${article} ${noun}`
  if (from === 0 && !lowExclusive) return `a non-negative ${noun}`
  if (from === 1 && isInteger) return 'a positive integer'
  return `${article} ${noun} ${lowExclusive && !isInteger ? 'above' : 'of at least'} ${from}`
}

function list(element: core.$ZodType, { low = 0, high }: Limits): string {
  const each = describeSchema(element)
  const elements = each === undefined || each === 'any value' ? '' : `, each ${each}`
  return `a list${size(low, high, 'element')}${elements}`
}

function union(options: readonly core.$ZodType[]): string | undefined {
  const described = options.map(describeSchema)
  return described.includes(undefined) ? undefined : [...new Set(described)].join(' or ')
}

function oneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)))
  return quoted.length === 1 ? `${quoted[0]}` : `one of ${quoted.join(', ')}`
}

function size(low: number, high: number | undefined, noun: string): string {
  const plural = (count: number): string => `${count} ${noun}${count === 1 ? '' : 's'}`
  if (high === undefined) return low === 0 ? '' : ` of at least ${plural(low)}`
  return low === high ? ` of ${plural(high)}` : ` of ${low} to ${plural(high)}`
}
