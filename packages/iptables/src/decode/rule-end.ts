import type { Expression } from '@cni/nftables/wire'
import { savedName } from './saved-word.ts'

/** Last option of a rule: `-j` with a target or chain, or `-g` with a chain. */
export interface RuleEnd {
  readonly option: '-j' | '-g'
  readonly name: string
}

/** Decodes the verdict, chain or target that an nf_tables expression contains. */
export function endOf(expression: Expression): RuleEnd | undefined {
  if (expression.name === 'target') return { option: '-j', name: expression.module }
  if (expression.name === 'log') return { option: '-j', name: expression.group === undefined ? 'LOG' : 'NFLOG' }
  if (expression.name !== 'immediate' || !('verdict' in expression.data)) return undefined
  const { data } = expression
  switch (data.verdict) {
    case 'jump':
      return { option: '-j', name: data.chain }
    case 'goto':
      return { option: '-g', name: data.chain }
    case 'accept':
    case 'drop':
    case 'return':
      return { option: '-j', name: data.verdict.toUpperCase() }
    default:
      return undefined
  }
}

export const endText = (end: RuleEnd | undefined): string | undefined => end && `${end.option} ${savedName(end.name)}`
