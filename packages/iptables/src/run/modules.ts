/** The kernel module that brings a match or target. */
export function moduleOf(name: string): string {
  if (name === 'tcp' || name === 'udp') return 'xt_tcpudp'
  if (name === 'icmp' || name === 'icmp6') return 'ip_tables'
  return `xt_${name}`
}

/** Names of the matches and targets that restore lines use, each once. */
export function usedModules(lines: readonly string[]): string[] {
  const chains = new Set(lines.map((line) => /^(?:-N |:)(\S+)/.exec(line)?.[1]))
  const used = new Set<string>()
  for (const line of lines) {
    for (const [, kind, name = ''] of line.matchAll(/ (-[mj]) (\S+)/g)) {
      if (kind === '-m' || (!chains.has(name) && !verdicts.has(name) && /^[A-Z]+$/.test(name))) used.add(name)
    }
    const protocol = / --[ds]port /.test(line) ? / -p (tcp|udp) /.exec(line)?.[1] : undefined
    if (protocol !== undefined) used.add(protocol)
  }
  return [...used]
}

const verdicts = new Set(['ACCEPT', 'DROP', 'RETURN', 'QUEUE'])
