import { encodeExpressions, type RuleSpec } from '@cni/nftables/wire'
import { type Family, type Rule, type Ruleset, rulesFor } from '../rules/model.ts'
import { encodeRule } from './encode-rule.ts'

/** Encoded rule, ready for a netlink message. */
export class RuleBytes {
  /** Netlink bytes of the rule's expressions. */
  readonly bytes: Buffer
  readonly compat: NonNullable<RuleSpec['compat']>
  #form: string | undefined

  constructor(bytes: Buffer, compat: NonNullable<RuleSpec['compat']>) {
    this.bytes = bytes
    this.compat = compat
  }

  /** Bytes of the rule's expressions as a string, to compare the rule with rules in the kernel. */
  get form(): string {
    this.#form ??= this.bytes.toString('latin1')
    return this.#form
  }
}

/** Encodes a rule and caches the result; `undefined` if only an iptables program can write the rule. */
export function encodedRule(rule: Rule, family: Family): RuleBytes | undefined {
  const known = encodings[family].get(rule)
  if (known !== undefined) return known.is
  const encoded = encodeRule(rule, family)
  const is = encoded && new RuleBytes(encodeExpressions(encoded.expressions), encoded.compat)
  encodings[family].set(rule, { is })
  return is
}

/** Finds the first rule of a ruleset that netlink cannot write, because this package does not model it. */
export function notModelled(rules: Ruleset, families: readonly Family[]): Rule | undefined {
  for (const family of families) {
    const found = rulesFor(rules, family).find((rule) => encodedRule(rule, family) === undefined)
    if (found !== undefined) return found
  }
  return undefined
}

// internal

const encodings: Readonly<Record<Family, WeakMap<Rule, { readonly is: RuleBytes | undefined }>>> = {
  ipv4: new WeakMap(),
  ipv6: new WeakMap(),
}
