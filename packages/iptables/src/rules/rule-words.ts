import type { icmpTypes, icmpv6Types } from './icmp-types.ts'

/** Words and numbers that the steps of a rule accept. */
export interface RuleWords {
  /** Protocol by name or by number (1–255). */
  readonly protocol:
    | 'tcp'
    | 'udp'
    | 'udplite'
    | 'sctp'
    | 'dccp'
    | 'icmp'
    | 'icmpv6'
    | 'ipv6-icmp'
    | 'esp'
    | 'ah'
    | 'gre'
    | 'ipip'
    | number
  /** Port, or a range written `1000:2000`. */
  readonly ports: number | `${number}` | `${number}:${number}`
  /** Rate such as `3/min`. The kernel rounds the rate to its own resolution. */
  readonly rate: `${number}/${'sec' | 'second' | 'min' | 'minute' | 'hour' | 'day'}`
  /** Connection-tracking state. */
  readonly ctState: 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED' | 'SNAT' | 'DNAT'
  /** Connection-tracking event. */
  readonly ctEvent: 'new' | 'related' | 'destroy' | 'reply' | 'assured' | 'protoinfo' | 'helper' | 'mark'
  /** Connection-tracking zone. `mark` means that the packet's mark is the zone. */
  readonly ctZone: number | 'mark'
  /** Type of an address, as the routing table defines it. */
  readonly addrType: 'LOCAL' | 'UNICAST' | 'BROADCAST' | 'MULTICAST' | 'ANYCAST' | 'BLACKHOLE' | 'UNREACHABLE'
  /** Address or port of the packet to look up in a set, one per dimension of the set. */
  readonly setDir: 'src' | 'dst'
  /** Type of ICMP: its number, `type/code`, or its name. */
  readonly icmpType: keyof typeof icmpTypes | number | `${number}/${number}`
  /** Type of ICMPv6: its number, `type/code`, or its name. */
  readonly icmpv6Type: keyof typeof icmpv6Types | number | `${number}/${number}`
  /** Answers of REJECT in each family, besides `tcp-reset`. */
  readonly rejection: {
    readonly ipv4:
      | 'icmp-net-unreachable'
      | 'icmp-host-unreachable'
      | 'icmp-port-unreachable'
      | 'icmp-proto-unreachable'
      | 'icmp-net-prohibited'
      | 'icmp-host-prohibited'
      | 'icmp-admin-prohibited'
    readonly ipv6:
      | 'icmp6-no-route'
      | 'icmp6-adm-prohibited'
      | 'icmp6-addr-unreachable'
      | 'icmp6-port-unreachable'
      | 'icmp6-policy-fail'
      | 'icmp6-reject-route'
  }
}
