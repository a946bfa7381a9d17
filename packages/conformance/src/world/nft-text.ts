import { decodeAttributes, encodeAttributes } from '@cni/netns/netlink'
import type { Expression } from '@cni/nftables/wire'

/**
 * Short text of an nf_tables rule, without counter values and register numbers.
 *
 * @param setText - returns the text of the set with the given name, if the rule refers to a set
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
        // Prints `set` if the expression writes the register `sreg` to a property, such as the packet's mark.
        if (key === 'sreg') return loads || 'data' in fields || 'from' in fields ? [] : ['set']
        return [typeof value === 'number' && key !== 'revision' ? `${key} ${value}` : valueText(value)]
      })
      return [name, ...said].join(' ')
    }
  }
}

/**
 * Text of an attribute's value in an nf_tables expression. Printable bytes become text, other bytes hexadecimal digits.
 */
export function valueText(value: unknown): string {
  if (value === undefined) return ''
  if (value instanceof Uint8Array) return bytesText(Buffer.from(value))
  if (typeof value !== 'object' || value === null || !('verdict' in value)) return String(value)
  return 'chain' in value ? `${value.verdict} ${value.chain}` : String(value.verdict)
}

function bytesText(bytes: Buffer): string {
  const text = /^([\x20-\x7e]{2,})\0*$/.exec(bytes.toString('latin1'))?.[1]
  // Cuts zero bytes at the end, because structures of xt modules are padded with zeros.
  return text === undefined ? bytes.toString('hex').replace(/(?<=.{8})(00)+$/, '…') : JSON.stringify(text)
}

/** Expression attributes that comparisons ignore, because packets change them. */
const state: Readonly<Record<string, readonly number[]>> = { quota: [4], last: [1, 2] }

function withoutState(name: string, data: Uint8Array | undefined): Uint8Array | undefined {
  const counted = state[name]
  if (counted === undefined || data === undefined) return data
  const attributes = decodeAttributes(Buffer.from(data)).filter(([type]) => !counted.includes(type))
  return encodeAttributes(attributes)
}
