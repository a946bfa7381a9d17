/** Map from an iptables option to the number of values that the option takes. */
export const optionArity: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '--syn': 0,
    '--socket-exists': 0,
    '--transparent': 0,
    '--nowildcard': 0,
    '--restore-skmark': 0,
    '--save-mark': 0,
    '--restore-mark': 0,
    '--notrack': 0,
    '--random': 0,
    '--random-fully': 0,
    '--persistent': 0,
    '--clamp-mss-to-pmtu': 0,
    '--limit-iface-in': 0,
    '--limit-iface-out': 0,
    '--log-uid': 0,
    '--log-tcp-sequence': 0,
    '--log-tcp-options': 0,
    '--log-ip-options': 0,
    '--log-macdecode': 0,
    '--return-nomatch': 0,
    '--exist': 0,
    '--comment': 1,
    '--log-prefix': 1,
    '--nflog-prefix': 1,
    '--tcp-flags': 2,
    '--match-set': 2,
    '--add-set': 2,
    '--del-set': 2,
  }),
)

/** Map from each spelling of a general iptables option to the option's short name. */
export const generalOptions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '-p': 'p',
    '--protocol': 'p',
    '--proto': 'p',
    '-s': 's',
    '--source': 's',
    '--src': 's',
    '-d': 'd',
    '--destination': 'd',
    '--dst': 'd',
    '-i': 'i',
    '--in-interface': 'i',
    '-o': 'o',
    '--out-interface': 'o',
  }),
)

/** Map from an option's other spelling to its canonical name. */
export const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'source-port': 'sport',
    'destination-port': 'dport',
    'source-ports': 'sports',
    'destination-ports': 'dports',
    'to-port': 'to-ports',
  }),
)

/** Match options that iptables accepts after `-p`, without `-m` for the protocol's match. */
export const protocolOptions: ReadonlySet<string> = new Set([
  ...['sport', 'dport', 'source-port', 'destination-port', 'tcp-flags', 'syn', 'tcp-option', 'icmp-type'],
  ...['icmpv6-type', 'chunk-types', 'dccp-types', 'dccp-option', 'ahspi', 'espspi'],
])

/**
 * Map from a protocol to the match module that `-p` loads. Lists only modules whose name differs from the protocol's.
 */
export const protocolModules: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '1': 'icmp',
    '6': 'tcp',
    '17': 'udp',
    '33': 'dccp',
    '58': 'icmp6',
    'ipv6-icmp': 'icmp6',
    icmpv6: 'icmp6',
    '132': 'sctp',
    '136': 'udplite',
  }),
)

/** Match modules named after a protocol. `-m tcp` without an option adds nothing to `-p tcp`. */
export const protocolMatches: ReadonlySet<string> = new Set([
  ...['tcp', 'udp', 'udplite', 'sctp', 'dccp', 'icmp', 'icmp6', 'esp', 'ah'],
])

/** Match modules without state: the order of these matches within a rule has no meaning. */
export const statelessMatches: ReadonlySet<string> = new Set([
  ...[...protocolMatches],
  ...['multiport', 'owner', 'mark', 'connmark', 'conntrack', 'state', 'addrtype', 'comment', 'mac', 'pkttype'],
  ...['iprange', 'socket', 'set', 'physdev', 'tos', 'dscp', 'ttl', 'hl', 'length', 'cgroup', 'rpfilter', 'helper'],
])
