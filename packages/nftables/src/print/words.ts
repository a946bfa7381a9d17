/** Protocol names by number, from Debian's /etc/protocols, where nft looks them up. */
export const protocolNames: ReadonlyMap<number, string> = new Map([
  ...([
    [0, 'ip'],
    [1, 'icmp'],
    [2, 'igmp'],
    [3, 'ggp'],
    [4, 'ipencap'],
    [5, 'st'],
    [6, 'tcp'],
    [8, 'egp'],
  ] as const),
  ...([
    [9, 'igp'],
    [12, 'pup'],
    [17, 'udp'],
    [20, 'hmp'],
    [22, 'xns-idp'],
    [27, 'rdp'],
    [29, 'iso-tp4'],
  ] as const),
  ...([
    [33, 'dccp'],
    [36, 'xtp'],
    [37, 'ddp'],
    [38, 'idpr-cmtp'],
    [41, 'ipv6'],
    [43, 'ipv6-route'],
  ] as const),
  ...([
    [44, 'ipv6-frag'],
    [45, 'idrp'],
    [46, 'rsvp'],
    [47, 'gre'],
    [50, 'esp'],
    [51, 'ah'],
    [57, 'skip'],
  ] as const),
  ...([
    [58, 'ipv6-icmp'],
    [59, 'ipv6-nonxt'],
    [60, 'ipv6-opts'],
    [73, 'rspf'],
    [81, 'vmtp'],
  ] as const),
  ...([
    [88, 'eigrp'],
    [89, 'ospf'],
    [93, 'ax.25'],
    [94, 'ipip'],
    [97, 'etherip'],
    [98, 'encap'],
  ] as const),
  ...([
    [103, 'pim'],
    [108, 'ipcomp'],
    [112, 'vrrp'],
    [115, 'l2tp'],
    [124, 'isis'],
    [132, 'sctp'],
    [133, 'fc'],
  ] as const),
  ...([
    [135, 'mobility-header'],
    [136, 'udplite'],
    [137, 'mpls-in-ip'],
    [138, 'manet'],
    [139, 'hip'],
  ] as const),
  ...([
    [140, 'shim6'],
    [141, 'wesp'],
    [142, 'rohc'],
    [143, 'ethernet'],
  ] as const),
])

/** Names of ICMP types in nft, by number. */
export const icmpTypes: ReadonlyMap<number, string> = new Map([
  ...([
    [0, 'echo-reply'],
    [3, 'destination-unreachable'],
    [4, 'source-quench'],
    [5, 'redirect'],
  ] as const),
  ...([
    [8, 'echo-request'],
    [9, 'router-advertisement'],
    [10, 'router-solicitation'],
    [11, 'time-exceeded'],
  ] as const),
  ...([
    [12, 'parameter-problem'],
    [13, 'timestamp-request'],
    [14, 'timestamp-reply'],
  ] as const),
  ...([
    [15, 'info-request'],
    [16, 'info-reply'],
    [17, 'address-mask-request'],
    [18, 'address-mask-reply'],
  ] as const),
])

/** Names of ICMPv6 types in nft, by number. */
export const icmpv6Types: ReadonlyMap<number, string> = new Map([
  ...([
    [1, 'destination-unreachable'],
    [2, 'packet-too-big'],
    [3, 'time-exceeded'],
  ] as const),
  ...([
    [4, 'parameter-problem'],
    [128, 'echo-request'],
    [129, 'echo-reply'],
  ] as const),
  ...([
    [130, 'mld-listener-query'],
    [131, 'mld-listener-report'],
    [132, 'mld-listener-done'],
  ] as const),
  ...([
    [133, 'nd-router-solicit'],
    [134, 'nd-router-advert'],
    [135, 'nd-neighbor-solicit'],
  ] as const),
  ...([
    [136, 'nd-neighbor-advert'],
    [137, 'nd-redirect'],
    [138, 'router-renumbering'],
  ] as const),
  ...([
    [141, 'ind-neighbor-solicit'],
    [142, 'ind-neighbor-advert'],
    [143, 'mld2-listener-report'],
  ] as const),
])

/** Names of reject codes in nft, by number. */
export const rejectCodes: Readonly<Record<'icmp' | 'icmpv6' | 'icmpx', ReadonlyMap<number, string>>> = {
  icmp: new Map([
    ...([
      [0, 'net-unreachable'],
      [1, 'host-unreachable'],
      [2, 'prot-unreachable'],
      [3, 'port-unreachable'],
    ] as const),
    ...([
      [4, 'frag-needed'],
      [9, 'net-prohibited'],
      [10, 'host-prohibited'],
      [13, 'admin-prohibited'],
    ] as const),
  ]),
  icmpv6: new Map([
    ...([
      [0, 'no-route'],
      [1, 'admin-prohibited'],
      [3, 'addr-unreachable'],
      [4, 'port-unreachable'],
    ] as const),
    ...([
      [5, 'policy-fail'],
      [6, 'reject-route'],
    ] as const),
  ]),
  icmpx: new Map([
    ...([
      [0, 'no-route'],
      [1, 'port-unreachable'],
      [2, 'host-unreachable'],
      [3, 'admin-prohibited'],
    ] as const),
  ]),
}

/** Names of log levels in nft, by number. */
export const logLevels: readonly string[] = [
  ...['emerg', 'alert', 'crit', 'err', 'warn', 'notice', 'info', 'debug', 'audit'],
]
