import { type Netns, netns } from '@cni/netns'

/** How many packets of IPv4 every link of a namespace has sent, by its name. */
export async function packetsInto(node: Netns): Promise<Map<string, number>> {
  const text = (await netns.readFile(node, '/proc/thread-self/net/dev')) ?? ''
  return new Map(
    [...text.matchAll(/^\s*(\S+):\s*(.*)$/gm)].map(([, name = '', counts = '']) => [
      name,
      Number(counts.trim().split(/\s+/)[9]),
    ]),
  )
}
