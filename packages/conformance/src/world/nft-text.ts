import { decodeAttributes, encodeAttributes } from '@cni/netns/netlink'
import type { Expression } from '@cni/nftables/wire'

/**
 * A rule in short words: each of its steps, without what counters count and which register holds what in between.
 *
 * @param setText - what stands for a set that the rule looks into
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
        // With both it is where the value comes from, alone where it goes to.
        if (key === 'sreg') return loads || 'data' in fields || 'from' in fields ? [] : ['set']
        return [typeof value === 'number' && key !== 'revision' ? `${key} ${value}` : valueText(value)]
      })
      return [name, ...said].join(' ')
    }
  }
}

/** A field of an expression, or of an element: bytes as text where they are one. */
export function valueText(value: unknown): string {
  if (value === undefined) return ''
  if (value instanceof Uint8Array) return bytesText(Buffer.from(value))
  if (typeof value !== 'object' || value === null || !('verdict' in value)) return String(value)
  return 'chain' in value ? `${value.verdict} ${value.chain}` : String(value.verdict)
}

function bytesText(bytes: Buffer): string {
  const text = /^([\x20-\x7e]{2,})\0*$/.exec(bytes.toString('latin1'))?.[1]
  // Structures of xt modules end in zeros.
  return text === undefined ? bytes.toString('hex').replace(/(?<=.{8})(00)+$/, '…') : JSON.stringify(text)
}

/** What is counted while packets pass, of the expressions that tell it. */
const state: Readonly<Record<string, readonly number[]>> = { quota: [4], last: [1, 2] }

function withoutState(name: string, data: Uint8Array | undefined): Uint8Array | undefined {
  const counted = state[name]
  if (counted === undefined || data === undefined) return data
  const attributes = decodeAttributes(Buffer.from(data)).filter(([type]) => !counted.includes(type))
  return encodeAttributes(attributes)
}
