import type { icmpTypes, icmpv6Types } from './icmp-types.ts'

/** Types of the words and numbers that the rule builder's methods accept. */
export interface RuleWords {
  /** IP protocol of a rule, by name or by number (1–255). */
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
  /** Port in a rule, or a port range written `1000:2000`. */
  readonly ports: number | `${number}` | `${number}:${number}`
  /** Rate of a `limit` match, such as `3/min`. The kernel rounds the rate to its own resolution. */
  readonly rate: `${number}/${'sec' | 'second' | 'min' | 'minute' | 'hour' | 'day'}`
  /** State of a packet's connection in connection tracking. */
  readonly ctState: 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED' | 'SNAT' | 'DNAT'
  /** Connection-tracking event that the kernel reports to listening programs. */
  readonly ctEvent: 'new' | 'related' | 'destroy' | 'reply' | 'assured' | 'protoinfo' | 'helper' | 'mark'
  /** Connection-tracking zone. `mark` means that the packet's mark is the zone. */
  readonly ctZone: number | 'mark'
  /** Type of an IP address, as the kernel's routing table defines it. */
  readonly addrType: 'LOCAL' | 'UNICAST' | 'BROADCAST' | 'MULTICAST' | 'ANYCAST' | 'BLACKHOLE' | 'UNREACHABLE'
  /** Side of the packet (source or destination) that an ipset match looks up, one per dimension of the set. */
  readonly setDir: 'src' | 'dst'
  /** ICMP type: a number, `type/code`, or the name that iptables uses. */
  readonly icmpType: keyof typeof icmpTypes | number | `${number}/${number}`
  /** ICMPv6 type: a number, `type/code`, or the name that iptables uses. */
  readonly icmpv6Type: keyof typeof icmpv6Types | number | `${number}/${number}`
  /** ICMP errors with which REJECT can answer in each family, besides `tcp-reset`. */
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
