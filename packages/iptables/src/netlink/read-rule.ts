import { isNetnsError } from '@cni/netns/handle'
import { decodeExpressions, type Expression, type NftRule } from '@cni/nftables/wire'
import { targetName } from '../parse/normalize-target.ts'
import type { KernelRule } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import { decodeRule } from './decode-rule.ts'
import { elementsIn, formIn } from './form.ts'
import { words } from './option-text.ts'
import { endOf, endText, type RuleEnd } from './rule-end.ts'

/** A rule that the kernel told; each thing about it is found out when it is asked for. */
export class ReadRule implements KernelRule {
  readonly rule: NftRule
  readonly #family: Family
  #form: string | undefined
  #text: string | undefined

  constructor(rule: NftRule, family: Family) {
    this.rule = rule
    this.#family = family
  }

  get form(): string {
    this.#form ??= formIn(this.rule.bytes)
    return this.#form
  }

  get text(): string {
    this.#text ??= this.#decoded() ?? this.#opaque()
    return this.#text
  }

  get target(): string {
    return targetName(endIn(this.rule.bytes)?.name ?? '')
  }

  #decoded(): string | undefined {
    const { bytes } = this.rule
    const expressions = expressionsIn(bytes)
    return expressions.length === elementsIn(bytes).length ? decodeRule(expressions, this.#family) : undefined
  }

  /** No option of iptables: what is not understood is no rule of another text, and every byte of it is there. */
  #opaque(): string {
    const all = Buffer.from(this.form, 'latin1').toString('hex')
    return words('-m nft --expressions', all, endText(endIn(this.rule.bytes)) ?? '')
  }
}

/** It is the last expression that does it, nearly always. */
function endIn(bytes: Buffer): RuleEnd | undefined {
  for (const at of elementsIn(bytes).reverse()) {
    const [expression] = expressionsIn(bytes.subarray(at, at + bytes.readUInt16LE(at)))
    const end = expression === undefined ? undefined : endOf(expression)
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
