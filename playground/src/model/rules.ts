import { parseSave, type Ruleset, restoreText, type SavedTables, saveText } from '@cni/iptables/rules'
import { istioRestoreText } from '@cni/istio-rules'
import { type Ruleset as NftRuleset, printRuleset } from '@cni/nftables/rules'
import type { Field } from './fields.ts'
import { iptablesLines, type Line, nftLines, originsOf } from './listing.ts'

/** The rules of a pod for both back ends. */
export interface PodRules {
  readonly iptables: Ruleset
  readonly nftables: NftRuleset
}

/** A listing of the rules, line by line. */
export interface Listing {
  readonly id: string
  /** The program whose text it is. */
  readonly title: string
  readonly text: string
  readonly lines: readonly (Line & { readonly origins: readonly string[] })[]
}

/** The rules with a setting changed. */
export interface Variant {
  readonly id: string
  readonly field: Field
  readonly rules: PodRules
}

/** What the kernel holds of a ruleset in one family, as `iptables-save` reads it. */
export const saved = (rules: Ruleset, family: 'ipv4' | 'ipv6'): SavedTables =>
  parseSave(restoreText(rules, family), family)

/** The rules as each program has them, each line with the settings that it comes from. */
export function listings(rules: PodRules, ipv6: boolean, variants: readonly Variant[]): Listing[] {
  const families = ipv6 ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const)
  const listing = (
    id: string,
    title: string,
    linesOf: (text: string) => Line[],
    print: (rules: PodRules) => string,
  ) => {
    const text = print(rules)
    const lines = linesOf(text)
    const origins = originsOf(
      lines,
      variants.map((variant) => ({ id: variant.id, lines: linesOf(print(variant.rules)) })),
    )
    return { id, title, text, lines: lines.map((line, at) => ({ ...line, origins: origins[at] ?? [] })) }
  }
  return [
    ...families.map((family) =>
      listing(`save-${family}`, program(family, 'save'), iptablesLines, ({ iptables }) =>
        saveText(saved(iptables, family)),
      ),
    ),
    listing('nft', 'nft list ruleset', nftLines, ({ nftables }) => printRuleset(nftables)),
    ...families.map((family) =>
      listing(`istio-${family}`, `Istio’s text (${program(family, 'restore')})`, iptablesLines, ({ iptables }) =>
        istioRestoreText(iptables, family),
      ),
    ),
  ]
}

const program = (family: 'ipv4' | 'ipv6', verb: 'save' | 'restore'): string =>
  `${family === 'ipv4' ? 'iptables' : 'ip6tables'}-${verb}`
