import { type Netns, netns } from '@cni/netns'

/** The rows of the marking chain, in its order. */
const rows = ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9', 'B10', 'B11'] as const

/** Sets all counters of the node's rules to nothing. */
export async function forgetHits(node: Netns): Promise<void> {
  for (const table of ['mangle', 'nat', 'filter']) await netns.exec(node, ['iptables', '-t', table, '-Z'])
}

/** The rules of the marking chain that a packet has matched since, by their rows; and others, by their chains. */
export async function ruleHits(node: Netns): Promise<string[]> {
  const hits: string[] = []
  for (const table of ['mangle', 'nat', 'filter']) {
    const { stdout } = await netns.exec(node, ['iptables-save', '-c', '-t', table])
    let row = 0
    for (const [, packets, chain = ''] of stdout.matchAll(/^\[(\d+):\d+\] -A (ztunnel-\S+) /gm)) {
      const name = `${table} ${chain}` === 'mangle ztunnel-PREROUTING' ? rows[row++] : `${table} ${chain}`
      if (Number(packets) > 0) hits.push(name ?? '?')
    }
  }
  return hits
}
