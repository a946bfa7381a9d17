import { type NetnsTarget, readFile } from '@cni/netns'

/** Lists the TCP ports on which processes listen in a network namespace, over IPv4 or IPv6. */
export async function listeningPorts(netns: NetnsTarget): Promise<ReadonlySet<number>> {
  const texts = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(netns, `/proc/net/${name}`)))
  const lines = texts.flatMap((text) => (text ?? '').split('\n'))
  return new Set(lines.flatMap((line) => listening.exec(line)?.[1] ?? []).map((port) => Number.parseInt(port, 16)))
}

// internal

/** Line of `/proc/net/tcp`: `sl: address:PORT address:port state`. State `0A` is LISTEN. */
const listening = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /
