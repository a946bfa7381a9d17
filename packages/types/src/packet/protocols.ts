/** Table of IP protocol numbers. Its keys are the names that iptables prints or accepts. */
export const protocolNumbers: ReadonlyMap<string, number> = new Map(
  Object.entries({
    all: 0,
    icmp: 1,
    igmp: 2,
    ipencap: 4,
    ipip: 4,
    tcp: 6,
    udp: 17,
    dccp: 33,
    ipv6: 41,
    gre: 47,
    esp: 50,
    'ipv6-crypt': 50,
    ah: 51,
    'ipv6-auth': 51,
    'ipv6-icmp': 58,
    icmpv6: 58,
    icmp6: 58,
    ipcomp: 108,
    sctp: 132,
    'mobility-header': 135,
    'ipv6-mh': 135,
    mobility: 135,
    udplite: 136,
  }),
)

/** Number of an IP protocol as decimal text. Returns `undefined` for an unknown name. */
export function protocolNumber(name: string): string | undefined {
  if (/^\d{1,3}$/.test(name)) return String(Number(name))
  const number = protocolNumbers.get(name.toLowerCase())
  return number === undefined ? undefined : String(number)
}
