/** Address family of a table. `inet` covers both `ip` and `ip6`. */
export type Family = 'ip' | 'ip6' | 'inet' | 'arp' | 'bridge' | 'netdev'

const families = [
  ['inet', 1],
  ['ip', 2],
  ['arp', 3],
  ['netdev', 5],
  ['bridge', 7],
  ['ip6', 10],
] as const
const numbers = new Map<string, number>(families)
const words = new Map<number | undefined, Family>(families.map(([word, number]) => [number, word]))

/** Number (`NFPROTO_…`) of a table family. `undefined` for an unknown family. */
export function familyNumber(family: string): number | undefined {
  return numbers.get(family)
}

/** Table family of a number (`NFPROTO_…`). `undefined` for an unknown number. */
export function familyWord(number: number | undefined): Family | undefined {
  return words.get(number)
}

const INET_HOOKS = ['prerouting', 'input', 'forward', 'output', 'postrouting', 'ingress'] as const
const ARP_HOOKS = ['input', 'output', 'forward'] as const
const NETDEV_HOOKS = ['ingress', 'egress'] as const

/** Netfilter hook of a base chain, such as `prerouting`. */
export type Hook = (typeof INET_HOOKS | typeof NETDEV_HOOKS)[number]

/** Netfilter hooks of a table family, by the kernel's numbers. */
export function hooksOf(family: Family): readonly Hook[] {
  return family === 'arp' ? ARP_HOOKS : family === 'netdev' ? NETDEV_HOOKS : INET_HOOKS
}
