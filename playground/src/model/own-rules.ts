import { parseSave } from '@cni/iptables/rules'
import { completePacket } from '@cni/istio-redirect/explain'
import { parseListing } from '@cni/nftables/rules'
import { messageOf } from '@cni/types'
import { parsePacket } from '@cni/types/packet'
import { sidecar, ztunnel } from './packets.ts'
import { type PodProxy, type Rules, type Walk, walk } from './walk.ts'

/** Maximum number of characters in pasted rules: 20,000 rules have about two million characters. */
export const MAX_RULE_CHARS = 4 * 1024 * 1024

/** Result for rules that the user has pasted: a packet's path through the rules, or an error message. */
export type OwnRulesAnswer =
  | {
      readonly kind: 'walk'
      readonly program: 'iptables-save' | 'nft list ruleset'
      readonly rules: number
      readonly walk: Walk
    }
  | { readonly kind: 'problem'; readonly problem: string }

/** Parses pasted output of `iptables-save` or `nft list ruleset`, and traces a packet through the rules. */
export function answerOwnRules(text: string, packetText: string): OwnRulesAnswer {
  if (text.trim() === '') return problem('Paste what iptables-save, ip6tables-save or nft list ruleset printed.')
  if (text.length > MAX_RULE_CHARS)
    return problem(`The text has ${text.length} characters, at most ${MAX_RULE_CHARS} are read.`)
  try {
    const packet = completePacket(parsePacket(packetText))
    const family = packet.dst.includes(':') ? 'ipv6' : 'ipv4'
    const { program, count, rules } = rulesIn(text, family)
    return { kind: 'walk', program, rules: count, walk: walk(rules, packet, proxyIn(text)) }
  } catch (error) {
    return problem(shortened(messageOf(error)))
  }
}

// internal

interface PastedRules {
  readonly program: 'iptables-save' | 'nft list ruleset'
  readonly count: number
  readonly rules: Rules
}

function rulesIn(text: string, family: 'ipv4' | 'ipv6'): PastedRules {
  if (isNft(text)) {
    const rules = parseListing(text)
    const count = sum(rules.tables.flatMap(({ chains }) => chains.map((chain) => chain.rules.length)))
    return { program: 'nft list ruleset', count, rules: { kind: 'nftables', rules } }
  }
  const saved = parseSave(text, family)
  const chains = [...saved.tables.values()].flatMap((table) => [...table.values()])
  const count = sum(chains.map(({ rules }) => rules.length))
  return { program: 'iptables-save', count, rules: { kind: 'iptables', rules: () => saved } }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** True if the pasted text is output of nft instead of iptables-save. */
const isNft = (text: string): boolean => /^\s*table\s/.test(text.replaceAll(/^\s*#.*$/gm, ''))

/** Recognizes the proxy by the names of Istio's chains and tables. */
function proxyIn(text: string): PodProxy {
  if (/ISTIO_PRERT|istio-ambient/.test(text)) return ztunnel
  if (/ISTIO_|istio-proxy/.test(text)) return sidecar(1337)
  return { name: 'The proxy', uid: undefined, mark: undefined, ports: {} }
}

const problem = (text: string): OwnRulesAnswer => ({ kind: 'problem', problem: text })

const shortened = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text)
