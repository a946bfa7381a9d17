import { inspect } from './inspect.ts'

/** Implements Node's `util.format`: replaces printf-like directives and appends the remaining values. */
export function format(first?: unknown, ...rest: readonly unknown[]): string {
  const values = [...rest]
  if (typeof first !== 'string')
    return [first, ...values]
      .slice(0, rest.length + 1)
      .map(show)
      .join(' ')
  if (values.length === 0) return first
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === '%%') return '%'
    return values.length === 0 ? directive : directed(directive, values.shift())
  })
  return [text, ...values.map(show)].join(' ')
}

const show = (value: unknown): string => (typeof value === 'string' ? value : inspect(value))

function directed(directive: string, value: unknown): string {
  switch (directive) {
    case '%s':
      return stringText(value)
    case '%d':
      return typeof value === 'bigint'
        ? `${value}n`
        : numberText(typeof value === 'object' ? Number.NaN : Number(value))
    case '%i':
      return typeof value === 'bigint' ? `${value}n` : numberText(Number.parseInt(String(value), 10))
    case '%f':
      return numberText(Number.parseFloat(String(value)))
    case '%j':
      return jsonText(value)
    case '%c':
      return ''
    case '%o':
      return inspect(value, { depth: 4 })
    default:
      return inspect(value)
  }
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

function stringText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Error || hasOwnText(value)) return String(value)
  return inspect(value, { depth: 0 })
}

const hasOwnText = (value: object): boolean =>
  Object.hasOwn(value, 'toString') ||
  (value.toString !== Object.prototype.toString && !Array.isArray(value) && value.constructor !== Object)

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'undefined'
  } catch (error) {
    if (error instanceof TypeError && /circular/i.test(error.message)) return '[Circular]'
    throw error
  }
}
