import type { ProjectOptions } from '../src/options.ts'

/** Options of projects that together contain every pair of option values. Tests create all these projects. */
export const PAIRS: readonly ProjectOptions[] = [
  { name: 'chained-iptables', kind: 'chained', rules: 'iptables', agent: true },
  { name: 'chained-nftables', kind: 'chained', rules: 'nftables', agent: false },
  { name: 'chained-routes', kind: 'chained', rules: 'routes', agent: true },
  { name: 'main-iptables', kind: 'main', rules: 'iptables', agent: false },
  { name: 'main-nftables', kind: 'main', rules: 'nftables', agent: true },
  { name: 'main-routes', kind: 'main', rules: 'routes', agent: false },
  { name: 'thick-iptables', kind: 'thick', rules: 'iptables', agent: true },
  { name: 'thick-nftables', kind: 'thick', rules: 'nftables', agent: true },
  { name: 'thick-routes', kind: 'thick', rules: 'routes', agent: false },
  { name: 'addresses', kind: 'ipam', rules: undefined, agent: false },
]
