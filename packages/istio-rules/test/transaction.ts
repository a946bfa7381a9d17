import type { CaptureConfig } from '../src/capture/config.ts'

/** Chains of an nftables table in Istio's native mode, with nft's text after `type`. */
interface TableShape {
  readonly base: Readonly<Record<string, string>>
  readonly chains: readonly string[]
}

const shapes: Readonly<Record<Table, TableShape>> = {
  nat: {
    base: {
      prerouting: 'nat hook prerouting priority -100',
      output: 'nat hook output priority -100',
    },
    chains: ['istio-inbound', 'istio-redirect', 'istio-in-redirect', 'istio-output', 'istio-output-dns'],
  },
  mangle: {
    base: {
      prerouting: 'filter hook prerouting priority -150',
      output: 'route hook output priority -150',
    },
    chains: ['istio-divert', 'istio-tproxy', 'istio-inbound', 'istio-drop'],
  },
  raw: {
    base: {
      prerouting: 'filter hook prerouting priority -300',
      output: 'filter hook output priority -300',
    },
    chains: ['istio-inbound', 'istio-output-dns'],
  },
}

type Table = 'nat' | 'mangle' | 'raw'

/** Rule in the expected nft transaction. The rule is inserted before the position `index`. */
interface Statement {
  readonly table: Table
  readonly chain: string
  readonly text: string
  readonly index?: number
}

/** Prints the nft transaction of Istio's native mode, independently of the package's code. */
export function nativeTransaction(config: CaptureConfig): string {
  const statements = withoutEmptyJumps(everyStatement(config))
  const lines: string[] = []
  for (const table of ['nat', 'mangle', 'raw'] as const) {
    const own = statements.filter((each) => each.table === table)
    if (own.length === 0) continue
    const name = `inet istio-proxy-${table}`
    const { base, chains } = shapes[table]
    const used = (chain: string) => own.some((each) => each.chain === chain)
    lines.push(`add table ${name}`, `flush table ${name}`)
    for (const [chain, what] of Object.entries(base)) {
      if (used(chain)) lines.push(`add chain ${name} ${chain} { type ${what} ; }`)
    }
    for (const chain of chains) if (used(chain)) lines.push(`add chain ${name} ${chain}`)
    const count = new Map<string, number>()
    for (const { chain, text, index } of own) {
      const before = count.get(chain) ?? 0
      count.set(chain, before + 1)
      lines.push(
        index === undefined || index >= before
          ? `add rule ${name} ${chain} ${text}`
          : `insert rule ${name} ${chain} index ${index} ${text}`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

function everyStatement(config: CaptureConfig): readonly Statement[] {
  const all: Statement[] = []
  const into = (table: Table) => (chain: string, text: string, index?: number) =>
    void all.push({ table, chain, text, ...(index === undefined ? {} : { index }) })
  const nat = into('nat')
  const mangle = into('mangle')
  const raw = into('raw')
  const { ipv6, proxyUIDs, proxyGIDs, inboundTunnelPort: tunnel, tproxyMark: mark } = config
  const loopback4 = config.loopbackCidr
  const tproxy = config.interceptionMode === 'TPROXY'
  const capturing = tproxy ? mangle : nat
  const captureAll = config.dns === 'all'
  const servers = typeof config.dns === 'string' ? { ipv4: [], ipv6: [] } : config.dns
  const anyServer = servers.ipv4.length + servers.ipv6.length > 0
  const dns = captureAll || anyServer
  const included = config.includeOutboundIPRanges
  const noLoopback = included === '*' || ![...included.ipv4, ...included.ipv6].some(isLoopbackRange)
  const L4 = 'meta l4proto tcp'
  const inbound = config.includeInboundPorts
  const anyInbound = inbound === '*' || inbound.length > 0
  const owners = [
    ...proxyUIDs.map((id) => ['skuid', owner(id)] as const),
    ...proxyGIDs.map((id) => ['skgid', owner(id)] as const),
  ]
  const virtual = config.rerouteVirtualInterfaces.map(quoted)

  // Rules for excluded interfaces.
  for (const name of config.excludeInterfaces.map(quoted)) {
    nat('prerouting', `iifname ${name} counter return`)
    nat('output', `oifname ${name} counter return`)
  }
  if (tproxy) {
    for (const name of config.excludeInterfaces.map(quoted)) {
      mangle('prerouting', `iifname ${name} counter return`)
      mangle('output', `oifname ${name} counter return`)
    }
  }
  // Rules for traffic of virtual machines.
  for (const name of virtual) nat('prerouting', `iifname ${name} counter return`, 0)
  // Rules that drop invalid packets.
  if (config.dropInvalid) {
    mangle('prerouting', `${L4} ct state invalid counter jump istio-drop`)
    mangle('istio-drop', 'counter drop')
  }
  // Rules that redirect connections to the proxy's ports. Connections to the tunnel port are exempt.
  nat('istio-inbound', `${L4} tcp dport ${tunnel} counter return`)
  nat('istio-redirect', `${L4} counter redirect to :${config.proxyPort}`)
  nat('istio-in-redirect', `${L4} counter redirect to :${config.inboundCapturePort}`)
  // Rules that deliver inbound connections to the proxy with TPROXY.
  if (anyInbound && tproxy) {
    const to = `:${config.inboundCapturePort} meta mark set ${mark} counter accept`
    mangle('istio-divert', `counter meta mark set ${mark}`)
    mangle('istio-divert', 'counter accept')
    mangle('istio-tproxy', `${L4} ip daddr != ${loopback4} tproxy ip to ${to}`)
    if (ipv6) mangle('istio-tproxy', `${L4} ip6 daddr != ::1/128 tproxy ip6 to ${to}`)
  }
  // Rules that select the captured inbound ports.
  const held = 'ct state related,established'
  if (anyInbound) capturing('prerouting', `${L4} counter jump istio-inbound`)
  if (inbound === '*') {
    for (const port of config.excludeInboundPorts.map(ports)) {
      capturing('istio-inbound', `${L4} tcp dport ${port} counter return`)
    }
    if (tproxy) {
      mangle('istio-inbound', `${L4} ${held} counter jump istio-divert`)
      mangle('istio-inbound', `${L4} counter jump istio-tproxy`)
    } else nat('istio-inbound', `${L4} counter jump istio-in-redirect`)
  } else {
    for (const port of inbound.map(ports)) {
      if (tproxy) {
        mangle('istio-inbound', `${L4} ${held} tcp dport ${port} counter jump istio-divert`)
        mangle('istio-inbound', `${L4} tcp dport ${port} counter jump istio-tproxy`)
      } else nat('istio-inbound', `${L4} tcp dport ${port} counter jump istio-in-redirect`)
    }
  }
  // First rules for outbound traffic: the excluded ports, and traffic from the proxy to the application.
  nat('output', 'counter jump istio-output')
  for (const port of config.excludeOutboundPorts.map(ports)) {
    nat('istio-output', `tcp dport ${port} counter return`)
    nat('istio-output', `udp dport ${port} counter return`)
  }
  nat('istio-output', 'oifname lo ip saddr 127.0.0.6/32 counter return')
  if (ipv6) nat('istio-output', 'oifname lo ip6 saddr ::6/128 counter return')
  // Rules that keep the proxy's own traffic from being redirected again.
  for (const [key, id] of owners) {
    const spared = dns && key === 'skuid' ? `{ 53, ${tunnel} }` : `${tunnel}`
    const own = `tcp dport != ${spared} ${key} ${id} counter jump istio-in-redirect`
    nat('istio-output', `oifname lo ${L4} ip daddr != ${loopback4} ${own}`)
    if (ipv6) nat('istio-output', `oifname lo ${L4} ip6 daddr != ::1/128 ${own}`)
    if (noLoopback) {
      const local = dns ? `${L4} tcp dport != 53 ` : ''
      nat('istio-output', `oifname lo ${local}${key} != ${id} counter return`)
    }
    nat('istio-output', `${key} ${id} counter return`)
  }
  // Rules for the groups of sending processes.
  const groups = config.ownerGroups.groups.map(owner)
  if (config.ownerGroups.mode === 'all-except') {
    for (const group of groups) nat('istio-output', `skgid ${group} counter return`)
  } else if (groups.length > 63) {
    nat('istio-output', `skgid != { ${groups.join(', ')} } counter return`)
  } else {
    nat('istio-output', [...groups.map((group) => `skgid != ${group}`), 'counter return'].join(' '))
  }
  // Rules for DNS capture.
  if (dns) {
    const agent = 'counter redirect to :15053'
    const hosts = [
      ...servers.ipv4.map((server) => ['ip', `${server}/32`] as const),
      ...(ipv6 ? servers.ipv6.map((server) => ['ip6', `${server}/128`] as const) : []),
    ]
    raw('output', 'counter jump istio-output-dns')
    nat('istio-output', 'counter jump istio-output-dns')
    if (captureAll) nat('istio-output-dns', `${L4} tcp dport 53 ${agent}`)
    for (const [family, host] of hosts) nat('istio-output-dns', `${family} daddr ${host} tcp dport 53 ${agent}`)
    if (captureAll) nat('istio-output-dns', `udp dport 53 ${agent}`)
    for (const [family, host] of hosts) nat('istio-output-dns', `${family} daddr ${host} udp dport 53 ${agent}`)
    for (const [key, id] of owners) {
      raw('istio-output-dns', `udp dport 53 meta ${key} ${id} counter ct zone set 1`)
      raw('istio-output-dns', `udp sport 15053 meta ${key} ${id} counter ct zone set 2`)
    }
    raw('prerouting', 'counter jump istio-inbound')
    if (captureAll) {
      raw('istio-output-dns', 'udp dport 53 counter ct zone set 2')
      raw('istio-inbound', 'udp sport 53 counter ct zone set 1')
    }
    for (const [family, host] of hosts) {
      raw('istio-output-dns', `udp dport 53 ${family} daddr ${host} counter ct zone set 2`)
      raw('istio-inbound', `udp sport 53 ${family} saddr ${host} counter ct zone set 1`)
    }
  }
  // Rules for loopback addresses, excluded outbound ranges, and included outbound ports.
  nat('istio-output', `ip daddr ${loopback4} counter return`)
  if (ipv6) nat('istio-output', 'ip6 daddr ::1/128 counter return')
  for (const cidr of config.excludeOutboundIPRanges.ipv4) nat('istio-output', `ip daddr ${cidr} counter return`)
  if (ipv6) {
    for (const cidr of config.excludeOutboundIPRanges.ipv6) nat('istio-output', `ip6 daddr ${cidr} counter return`)
  }
  for (const port of config.includeOutboundPorts.map(ports)) {
    nat('istio-output', `tcp dport ${port} counter jump istio-redirect`)
  }
  // Rules for included outbound ranges, also for traffic of virtual machines.
  const proxy = 'counter jump istio-redirect'
  if (included === '*') {
    nat('istio-output', proxy)
    for (const name of virtual) nat('prerouting', `iifname ${name} ${proxy}`, 0)
  } else {
    const ranges = [
      ...included.ipv4.map((cidr) => `ip daddr ${cidr}`),
      ...(ipv6 ? included.ipv6.map((cidr) => `ip6 daddr ${cidr}`) : []),
    ]
    for (const range of ranges) {
      for (const name of virtual) nat('prerouting', `iifname ${name} ${range} ${proxy}`, 0)
      nat('istio-output', `${range} ${proxy}`)
    }
  }
  // Rules that mark packets for TPROXY, and that exclude packets on `lo` that are not inbound.
  if (tproxy) {
    mangle('prerouting', `${L4} mark ${mark} counter ct mark set mark`)
    mangle('output', `oifname lo ${L4} mark ${mark} counter return`)
    for (const [key, id] of owners) {
      const own = `${key} ${id} counter meta mark set 1338`
      mangle('output', `oifname lo ${L4} ip daddr != ${loopback4} ${own}`)
      if (ipv6) mangle('output', `oifname lo ${L4} ip6 daddr != ::1/128 ${own}`)
    }
    mangle('output', `${L4} ct mark ${mark} counter meta mark set ct mark`)
    mangle('istio-inbound', `${L4} mark ${mark} counter return`, 0)
    mangle('istio-inbound', `iifname lo ${L4} ip saddr 127.0.0.6/32 counter return`, 1)
    if (ipv6) mangle('istio-inbound', `iifname lo ${L4} ip6 saddr ::6/128 counter return`, 1)
    mangle('istio-inbound', `iifname lo ${L4} mark != 1338 counter return`, 2)
  }
  return all
}

/** Removes jumps to chains that the transaction does not create, because nft refuses these jumps. */
function withoutEmptyJumps(statements: readonly Statement[]): readonly Statement[] {
  return statements.filter(({ table, text }) => {
    const [, target] = / jump (\S+)$/.exec(text) ?? []
    return target === undefined || statements.some((each) => each.table === table && each.chain === target)
  })
}

/** Quotes an interface name. Escapes a final asterisk, which nft would treat as a wildcard. */
const quoted = (name: string): string => `"${name.replace(/\*$/, '\\*')}"`

/** Converts a port or ID range from iptables' notation to nft's notation. */
const ports = (port: number | string): string => `${port}`.replace(':', '-')

const owner = (id: number | string): string => `${id}`

const isLoopbackRange = (cidr: string): boolean => /^(?:127\.|::1\/|::ffff:127\.|::ffff:7f)/i.test(cidr)
