import { type Family, type Rule, type Ruleset, rulesFor } from '../rules/model.ts'
import { type EncodedRule, encodeRule } from './encode-rule.ts'

/** What netlink is given for a rule, which never changes; `undefined` when only a program can write it. */
export function encodedRule(rule: Rule, family: Family): EncodedRule | undefined {
  const known = encodings[family].get(rule)
  if (known !== undefined) return known.is
  const is = encodeRule(rule, family)
  encodings[family].set(rule, { is })
  return is
}

/** The first rule of a ruleset that only a program can write. */
export function notModelled(rules: Ruleset, families: readonly Family[]): Rule | undefined {
  for (const family of families) {
    const found = rulesFor(rules, family).find((rule) => encodedRule(rule, family) === undefined)
    if (found !== undefined) return found
  }
  return undefined
}

// internal

const encodings: Readonly<Record<Family, WeakMap<Rule, { readonly is: EncodedRule | undefined }>>> = {
  ipv4: new WeakMap(),
  ipv6: new WeakMap(),
}
