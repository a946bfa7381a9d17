import type { Ruleset } from '@cni/iptables'
import { parseSave, restoreText, type SavedTables, saveText } from '@cni/iptables/rules'
import { istioRestoreText } from '@cni/istio-rules'
import { type Ruleset as NftRuleset, printRuleset } from '@cni/nftables/rules'
import { iptablesLines, type Line, nftLines, originsOf } from './listing.ts'

/** Rules of a pod, once for iptables and once for nftables. */
export interface PodRules {
  readonly iptables: Ruleset
  readonly nftables: NftRuleset
}

/** Listing of a pod's rules in the syntax of one program, as the page shows it. */
export interface Listing {
  readonly id: string
  /** Name of the program that prints the same listing on a node, such as `iptables-save`. */
  readonly title: string
  readonly lines: readonly (Line & { readonly origins: readonly string[] })[]
  /** Number of lines that the page leaves out at the end of the listing. */
  readonly more: number
}

/** Rules for variants of a pod's configuration. Differences between the rules show which setting causes which line. */
export interface OtherRules {
  readonly sample: PodRules
  readonly whole: readonly { readonly id: string; readonly rules: PodRules }[]
  readonly changed: readonly { readonly id: string; readonly rules: PodRules }[]
}

/** Maximum number of lines in a rule listing on the page. Further lines would have the same form. */
const MAX_LINES = 1500

/** Rules of one IP family in the form that `iptables-save` prints on a node. */
export const saved = (rules: Ruleset, family: 'ipv4' | 'ipv6'): SavedTables =>
  parseSave(restoreText(rules, family), family)

/** Listings of a pod's rules, in the syntax of each program. Each line contains the settings that cause it. */
export function listings(rules: PodRules, ipv6: boolean, { sample, whole, changed }: OtherRules): Listing[] {
  const families = ipv6 ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const)
  const listing = (
    id: string,
    title: string,
    linesIn: (text: string) => Line[],
    print: (rules: PodRules) => string,
  ) => {
    const linesOf = (of: PodRules) => linesIn(print(of))
    const all = linesOf(rules)
    const lines = all.slice(0, MAX_LINES)
    const origins = originsOf(lines, {
      sample: linesOf(sample),
      whole: whole.map((one) => ({ id: one.id, lines: linesOf(one.rules) })),
      changed: changed.map((one) => ({ id: one.id, lines: linesOf(one.rules) })),
    })
    const explained = lines.map((line, at) => ({ ...line, origins: origins[at] ?? [] }))
    return { id, title, lines: explained, more: all.length - lines.length }
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
