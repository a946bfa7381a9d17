import { isNetnsError } from '@cni/netns/handle'
import { decodeExpressions, type Expression, type NftRule } from '@cni/nftables/wire'
import { targetName } from '../parse/normalize-target.ts'
import type { KernelRule } from '../parse/saved-tables.ts'
import { elementsIn, formIn } from './form.ts'
import { savedName } from './saved-word.ts'

/** A rule that the kernel told; each thing about it is found out when it is asked for. */
export class ReadRule implements KernelRule {
  readonly rule: NftRule
  #form: string | undefined
  #text: string | undefined

  constructor(rule: NftRule) {
    this.rule = rule
  }

  get form(): string {
    this.#form ??= formIn(this.rule.bytes)
    return this.#form
  }

  get text(): string {
    this.#text ??= this.#opaque()
    return this.#text
  }

  get target(): string {
    return targetName(endOf(this.rule.bytes)?.name ?? '')
  }

  /** No option of iptables: what is not understood is no rule of another text, and every byte of it is there. */
  #opaque(): string {
    const { option, name } = endOf(this.rule.bytes) ?? {}
    const end = name === undefined ? '' : ` ${option} ${savedName(name)}`
    return `-m nft --expressions ${Buffer.from(this.form, 'latin1').toString('hex')}${end}`
  }
}

/** What a rule does, as the option and the name that say it. */
interface RuleEnd {
  readonly option: '-j' | '-g'
  readonly name: string
}

/** It is the last expression that does it, nearly always. */
function endOf(bytes: Buffer): RuleEnd | undefined {
  for (const at of elementsIn(bytes).reverse()) {
    const [expression] = expressionsIn(bytes.subarray(at, at + bytes.readUInt16LE(at)))
    const end = expression === undefined ? undefined : ruleEnd(expression)
    if (end !== undefined) return end
  }
  return undefined
}

/** None where a length lies: no kernel sends that. */
function expressionsIn(bytes: Buffer): readonly Expression[] {
  try {
    return decodeExpressions(bytes)
  } catch (error) {
    if (isNetnsError(error)) return []
    throw error
  }
}

/** The name of the verdict, chain or target that an expression is. */
function ruleEnd(expression: Expression): RuleEnd | undefined {
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
