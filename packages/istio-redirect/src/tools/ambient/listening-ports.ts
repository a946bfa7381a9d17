import { type NetnsTarget, readFile } from '@cni/netns'

/** The TCP ports that somebody listens on in a namespace, in either family. */
export async function listeningPorts(netns: NetnsTarget): Promise<ReadonlySet<number>> {
  const texts = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(netns, `/proc/net/${name}`)))
  const lines = texts.flatMap((text) => (text ?? '').split('\n'))
  return new Set(lines.flatMap((line) => listening.exec(line)?.[1] ?? []).map((port) => Number.parseInt(port, 16)))
}

// internal

/** `sl: address:PORT address:port state`; `0A` is the state of who listens. */
const listening = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /
