import type { Expression } from '../wire/expressions/expression-types.ts'

/** Text of an unknown expression, which is not valid input for nft. */
export function rawText(expression: Expression): string {
  const { name, ...fields } = expression
  if (name === 'match' || name === 'target') return `xt ${name} ${JSON.stringify(expression.module)}`
  const of = 'of' in fields ? fields.of : name
  const said = Object.entries(fields).flatMap(([key, value]) =>
    key === 'of' || value === undefined ? [] : [`${key} ${shown(value)}`],
  )
  return `[${[of, ...said].join(' ')}]`
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array)
    return `0x${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  if (typeof value === 'object' && value !== null) return Object.values(value).map(String).join(' ')
  return String(value)
}
