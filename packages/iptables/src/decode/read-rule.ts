import { isNetnsError } from '@cni/netns/handle'
import { decodeExpressions, type Expression, type NftRule } from '@cni/nftables/wire'
import { targetName } from '../parse/normalize-target.ts'
import type { KernelRule } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import { decodeRule } from './decode-rule.ts'
import { elementsIn, formIn, nameIn } from './form.ts'
import { words } from './option-text.ts'
import { endOf, endText, type RuleEnd } from './rule-end.ts'

/** Rule that netlink read from the kernel. Decodes the rule's text and target when they are first used. */
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
    const expressions = elementsIn(bytes).map((at) => expressionAt(bytes, at))
    const isRead = expressions.every((each) => each !== undefined) && (expressions.length > 0 || bytes.length === 0)
    return isRead ? decodeRule(expressions, this.#family) : undefined
  }

  /** Text for a rule that this package cannot decode. Only equal rules have equal texts. */
  #opaque(): string {
    const all = Buffer.from(this.form, 'latin1').toString('hex')
    return words('-m nft --expressions', all, endText(endIn(this.rule.bytes)) ?? '')
  }
}

/**
 * Decodes the rule's target or verdict. Starts with the last expression, which nearly always contains the target or
 * verdict.
 */
function endIn(bytes: Buffer): RuleEnd | undefined {
  for (const at of elementsIn(bytes).reverse()) {
    if (!lastExpressions.includes(nameIn(bytes, at))) continue
    const expression = expressionAt(bytes, at)
    const end = expression === undefined ? undefined : endOf(expression)
    if (end !== undefined) return end
  }
  return undefined
}

/** Names of the nf_tables expressions that can contain a rule's target or verdict. */
const lastExpressions = ['immediate', 'target', 'log']

/** Cache of decoded nf_tables expressions by their bytes: most expressions occur in many rules. */
const known = new Map<string, Expression>()
const MAX_CACHED = 1000
const MAX_CACHED_BYTES = 96

function expressionAt(bytes: Buffer, at: number): Expression | undefined {
  const length = bytes.readUInt16LE(at)
  const key = bytes.toString('latin1', at, at + length)
  const found = known.get(key)
  if (found !== undefined) return found
  // Copies the expression's bytes: a reference would keep the whole netlink dump in memory.
  const expression = decoded(Buffer.from(key, 'latin1'))
  if (expression === undefined || length > MAX_CACHED_BYTES) return expression
  if (known.size === MAX_CACHED) known.clear()
  known.set(key, expression)
  return expression
}

/** Decodes one nf_tables expression; `undefined` if its length is invalid. */
function decoded(bytes: Buffer): Expression | undefined {
  try {
    return decodeExpressions(bytes)[0]
  } catch (error) {
    if (isNetnsError(error)) return undefined
    throw error
  }
}
