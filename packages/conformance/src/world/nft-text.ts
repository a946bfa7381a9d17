import { decodeAttributes, encodeAttributes } from '@cni/netns/netlink'
import type { Expression } from '@cni/nftables/wire'

/**
 * Short text of a rule: its expressions, without counts and registers.
 *
 * @param setText - returns the text for a set that the rule refers to
 * @example
 * ruleText(rule.expressions, (set) => `@${set}`) // 'meta l4proto, cmp eq 06, counter, jump PROXY'
 */
export function ruleText(expressions: readonly Expression[], setText: (set: string) => string): string {
  return expressions.map((each) => stepText(each, setText)).join(', ') || 'nothing'
}

function stepText(expression: Expression, setText: (set: string) => string): string {
  switch (expression.name) {
    case 'counter':
      return 'counter'
    case 'immediate':
      return 'verdict' in expression.data ? valueText(expression.data) : `load ${valueText(expression.data)}`
    case 'lookup':
      return `${expression.flags === 1 ? 'not ' : ''}in ${setText(expression.set)}`
    case 'raw':
      return `${expression.of} ${valueText(withoutState(expression.of, expression.data))}`.trimEnd()
    default: {
      const { name, ...fields } = expression
      const loads = 'dreg' in fields && fields.dreg === 1
      const said = Object.entries(fields).flatMap(([key, value]) => {
        if (value === undefined || (key === 'dreg' && value === 1)) return []
        // The text omits the register `sreg` if the expression compares or transforms its value. Any other expression
        // writes the value, for example to the packet: its text has the word `set`.
        if (key === 'sreg') return loads || 'data' in fields || 'from' in fields ? [] : ['set']
        return [typeof value === 'number' && key !== 'revision' ? `${key} ${value}` : valueText(value)]
      })
      return [name, ...said].join(' ')
    }
  }
}

/** Text of a field. Printable bytes become text. */
export function valueText(value: unknown): string {
  if (value === undefined) return ''
  if (value instanceof Uint8Array) return bytesText(Buffer.from(value))
  if (typeof value !== 'object' || value === null || !('verdict' in value)) return String(value)
  return 'chain' in value ? `${value.verdict} ${value.chain}` : String(value.verdict)
}

function bytesText(bytes: Buffer): string {
  const text = /^([\x20-\x7e]{2,})\0*$/.exec(bytes.toString('latin1'))?.[1]
  // Cuts the zero bytes at the end of the structures of xt modules.
  return text === undefined ? bytes.toString('hex').replace(/(?<=.{8})(00)+$/, '…') : JSON.stringify(text)
}

/** Fields of expressions that change while packets pass. */
const state: Readonly<Record<string, readonly number[]>> = { quota: [4], last: [1, 2] }

function withoutState(name: string, data: Uint8Array | undefined): Uint8Array | undefined {
  const counted = state[name]
  if (counted === undefined || data === undefined) return data
  const attributes = decodeAttributes(Buffer.from(data)).filter(([type]) => !counted.includes(type))
  return encodeAttributes(attributes)
}
