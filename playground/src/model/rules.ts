import type { Ruleset } from '@cni/iptables'
import { parseSave, restoreText, type SavedTables, saveText } from '@cni/iptables/rules'
import { istioRestoreText } from '@cni/istio-rules'
import { type Ruleset as NftRuleset, printRuleset } from '@cni/nftables/rules'
import { iptablesLines, type Line, nftLines, originsOf } from './listing.ts'

/** The rules of a pod for both back ends. */
export interface PodRules {
  readonly iptables: Ruleset
  readonly nftables: NftRuleset
}

/** A listing of the rules, line by line. */
export interface Listing {
  readonly id: string
  /** Program that prints such a listing on a node. */
  readonly title: string
  readonly lines: readonly (Line & { readonly origins: readonly string[] })[]
  /** Number of lines that the listing omits. */
  readonly more: number
}

/** Rules of variants of the configuration, which show the setting that causes each line. */
export interface OtherRules {
  readonly sample: PodRules
  readonly whole: readonly { readonly id: string; readonly rules: PodRules }[]
  readonly changed: readonly { readonly id: string; readonly rules: PodRules }[]
}

/** Maximum number of lines in a listing. Further lines look the same. */
const MAX_LINES = 1500

/** Content of the kernel for a ruleset in one family, as `iptables-save` prints it. */
export const saved = (rules: Ruleset, family: 'ipv4' | 'ipv6'): SavedTables =>
  parseSave(restoreText(rules, family), family)

/** Listings of the rules for each program, with the settings of each line. */
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
