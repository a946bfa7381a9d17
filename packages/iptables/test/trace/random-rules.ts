import fc from 'fast-check'
import type { Family } from '../../src/rules/model.ts'
import { addresses, peerMac, ports, tproxyPort } from './machine.ts'

const values = fc.constantFrom
type Text = fc.Arbitrary<string>

const tables = {
  raw: ['PREROUTING', 'OUTPUT'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  security: ['INPUT', 'FORWARD', 'OUTPUT'],
}
type Table = keyof typeof tables

/** User-defined chains. A chain jumps only to later chains, because the kernel refuses loops. */
const own = ['C1', 'C2', 'C3']

/** Members of the ipsets that the random rules use. */
export const setsOf = (family: Family): Readonly<Record<string, readonly string[]>> => ({
  SET_A: [addresses[family].peer, `${addresses[family].hosts}5`, addresses[family].dummy],
  SET_B: family === 'ipv4' ? ['10.8.0.0/16', '127.0.0.0/8'] : ['fd08::/16', '::1/128'],
})

/** Random rules over all tables of one family, as restore text that is valid on both back ends. */
export const anyRules = (family: Family): Text =>
  fc.tuple(...(Object.keys(tables) as Table[]).map((table) => anyTable(table, family))).map((all) => all.join(''))

// internal

const maybeNot = values('', '', '! ')
const condition = (option: string, value: fc.Arbitrary<unknown>, module = ''): Text =>
  fc.tuple(maybeNot, value).map(([no, text]) => `${module === '' ? '' : `-m ${module} `}${no}${option} ${text}`)

function anyTable(table: Table, family: Family): Text {
  const chains = [...tables[table], ...own].map((chain) => {
    const maxLength = own.includes(chain) ? 3 : 5
    return fc.array(anyRule(table, chain, family), { maxLength })
  })
  const policy = table === 'filter' ? values('ACCEPT', 'ACCEPT', 'ACCEPT', 'DROP') : fc.constant('ACCEPT')
  return fc
    .tuple(fc.tuple(...chains), policy)
    .map(([rules, verdict]) =>
      [
        `*${table}`,
        ...tables[table].map((name) => `:${name} ${verdict} [0:0]`),
        ...own.map((name) => `:${name} - [0:0]`),
        ...rules.flat(),
        'COMMIT\n',
      ].join('\n'),
    )
}

function anyRule(table: Table, chain: string, family: Family): Text {
  const all = conditionsFor(table, chain, family)
  // Gives random rules few conditions, because rules with many conditions rarely match.
  const one = fc
    .integer({ min: 0, max: all.length + 5 })
    .chain((i) => (all[i] ?? all[1 + (i % 2)] ?? fc.constant('')).map((text) => [text]))
  const matches = fc.oneof(
    fc.constant<string[]>([]),
    one,
    one,
    fc.subarray(all, { minLength: 2, maxLength: 2 }).chain((some) => fc.tuple(...some)),
  )
  return fc
    .tuple(fc.option(protocolMatch(family), { freq: 2 }), matches)
    .chain(([protocol, texts]) =>
      targetFor(table, chain, family, protocol).map((target) =>
        ['-A', chain, protocol ?? '', ...texts, target].filter((word) => word !== '').join(' '),
      ),
    )
}

function protocolMatch(family: Family): Text {
  const port = fc.oneof(
    condition('--dport', values(...ports, '80:8080', '1:1024')),
    condition('--sport', values('10000:30000', 53)),
  )
  const list = condition('--dports', values('53,80', '80:90,15001', '8080'), 'multiport')
  const flags = condition('--tcp-flags', values('SYN,RST,ACK,FIN SYN', 'SYN,ACK ACK', 'ALL NONE', 'SYN,ACK SYN,ACK'))
  const icmp = family === 'ipv4' ? values('8', '0', '8/0', '3/1') : values('128', '129', '128/0', '1/4')
  return fc.oneof(
    values('-p tcp', '-p udp', '-p udp', '! -p tcp'),
    port.chain((text) => values(`-p udp -m udp ${text}`, `-p tcp -m tcp ${text}`)),
    list.chain((text) => values(`-p udp ${text}`, `-p tcp ${text}`)),
    flags.map((text) => `-p tcp -m tcp ${text}`),
    family === 'ipv4'
      ? condition('--icmp-type', icmp, 'icmp').map((text) => `-p icmp ${text}`)
      : condition('--icmpv6-type', icmp, 'icmp6').map((text) => `-p ipv6-icmp ${text}`),
  )
}

function conditionsFor(table: Table, chain: string, family: Family): Text[] {
  const { hosts, dummy, veth, peer, loopback } = addresses[family]
  const bits = family === 'ipv4' ? 32 : 128
  const networks =
    family === 'ipv4'
      ? ['10.8.0.0/16', '10.0.0.0/8', '127.0.0.0/8', '10.9.0.1/30']
      : ['fd08::/16', 'fd00::/8', 'fd09::/126']
  const single = [dummy, veth, peer, loopback, `${hosts}5`].map((each) => `${each}/${bits}`)
  const mark = values('0x1', '0x2', '0x1/0x3', '0x4/0xff', '0x0/0x1')
  const states = values('NEW', 'ESTABLISHED,RELATED', 'INVALID', 'UNTRACKED', 'NEW,DNAT', 'DNAT', 'NEW,ESTABLISHED')
  const outgoing = chain === 'OUTPUT' || chain === 'POSTROUTING'
  const incoming = ['PREROUTING', 'INPUT', 'FORWARD'].includes(chain)
  return [
    condition('-s', values(...networks, ...single)),
    condition('-d', values(...networks, ...single)),
    condition('--mark', mark, 'mark'),
    fc.oneof(
      condition('--ctstate', states, 'conntrack'),
      condition('--state', values('NEW', 'ESTABLISHED', 'INVALID'), 'state'),
    ),
    condition(
      '--dst-type',
      values('LOCAL', 'LOCAL,MULTICAST', ...(family === 'ipv6' ? ['UNICAST', 'LOCAL,UNICAST'] : [])),
      'addrtype',
    ),
    condition('--src-type', values('LOCAL'), 'addrtype'),
    condition('--dst-range', values(`${hosts}4-${hosts}6`, `${dummy}-${dummy}`), 'iprange'),
    condition('--src-range', values(`${peer}-${veth}`), 'iprange'),
    condition('--pkt-type', values('unicast', 'multicast'), 'pkttype'),
    condition('--match-set', values('SET_A src', 'SET_A dst', 'SET_B dst', 'SET_B src'), 'set'),
    values(
      '-m limit --limit 9999/sec --limit-burst 9999',
      '-m comment --comment "a -j DROP"',
      '-m statistic --mode nth --every 1 --packet 0',
    ),
    ...(table === 'raw' ? [] : [condition('--mark', mark, 'connmark')]),
    ...(outgoing
      ? [
          condition('--uid-owner', values(0, 1000, 1337, '1000-1400'), 'owner'),
          condition('--gid-owner', values(0, 1000, 1337), 'owner'),
          values('-m owner --socket-exists', '-m owner ! --socket-exists'),
          condition('-o', values('lo', 'dum0', 'dum+', 'veth0')),
        ]
      : []),
    ...(incoming
      ? [
          condition('-i', values('lo', 'veth0', 've+')),
          condition('--mac-source', values(peerMac, '02:00:00:00:00:0a'), 'mac'),
        ]
      : []),
  ]
}

function targetFor(table: Table, chain: string, family: Family, protocol: string | null): Text {
  const later = own.slice(own.indexOf(chain) + 1)
  const jumps = later.flatMap((name) => [`-j ${name}`, `-j ${name}`, `-g ${name}`])
  const simple = values('-j ACCEPT', '-j RETURN', '-j RETURN', '', ...jumps, ...jumps.slice(0, 2))
  const special = specialTargets(table, chain, family, protocol)
  return special.length === 0
    ? simple
    : fc.oneof({ arbitrary: simple, weight: 3 }, { arbitrary: values(...special), weight: table === 'nat' ? 5 : 2 })
}

function specialTargets(table: Table, chain: string, family: Family, protocol: string | null): string[] {
  const ported = protocol !== null && /^-p (tcp|udp)/.test(protocol)
  const { hosts, veth, dummy } = addresses[family]
  const to = (address: string, port: string) => (family === 'ipv4' ? `${address}:${port}` : `[${address}]:${port}`)
  switch (table) {
    case 'raw':
      return ['-j CT --notrack', '-j CT --zone 5', '-p udp -m udp --dport 8080 -j DROP'].slice(
        0,
        protocol === null ? 3 : 2,
      )
    case 'mangle':
      return [
        '-j MARK --set-xmark 0x1/0xffffffff',
        '-j MARK --set-xmark 0x2/0x2',
        '-j MARK --set-xmark 0x4/0x0',
        '-j MARK --and-mark 0x1',
        '-j CONNMARK --set-xmark 0x1/0xff',
        '-j CONNMARK --save-mark',
        '-j CONNMARK --restore-mark --nfmask 0x3 --ctmask 0xff',
        ...(ported && chain === 'PREROUTING'
          ? Array<string>(7).fill(`-j TPROXY --on-port ${tproxyPort} --tproxy-mark 0x10/0x10`)
          : []),
      ]
    case 'nat': {
      if (chain === 'POSTROUTING') return ['-j MASQUERADE', `-j SNAT --to-source ${hosts}3`]
      if (chain === 'INPUT') return [`-j SNAT --to-source ${hosts}3`]
      if (chain !== 'PREROUTING' && chain !== 'OUTPUT') return []
      const plain = [`-j DNAT --to-destination ${hosts}5`, `-j DNAT --to-destination ${dummy}`]
      if (!ported) return plain
      return [
        ...['-j REDIRECT --to-ports 15001', '-j REDIRECT --to-ports 15001', '-j REDIRECT', '-j REDIRECT', ...plain],
        `-j DNAT --to-destination ${to(`${hosts}7`, '8080')}`,
        `-j DNAT --to-destination ${to(veth, '80')}`,
      ]
    }
    default: {
      const admin = family === 'ipv4' ? 'icmp-admin-prohibited' : 'icmp6-adm-prohibited'
      const reset = protocol !== null && /^-p tcp/.test(protocol) ? ['-j REJECT --reject-with tcp-reset'] : []
      return table === 'filter' ? ['-j DROP', '-j REJECT', `-j REJECT --reject-with ${admin}`, ...reset] : ['-j DROP']
    }
  }
}
