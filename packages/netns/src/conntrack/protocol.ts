import { NetnsError } from '../handle/netns-error.ts'
import { checkInteger, describeValue } from '../rtnl/check.ts'
import { constantName } from '../rtnl/constant-name.ts'

// IP protocol numbers from the kernel header <linux/in.h>.
const protocols = { icmp: 1, tcp: 6, udp: 17, dccp: 33, gre: 47, icmpv6: 58, sctp: 132, udplite: 136 } as const

/** Converts the name of an IP protocol to its number. Throws `NetnsError('INVALID')` for an unknown name. */
export function protocolNumber(protocol: string | number): number {
  if (typeof protocol === 'number') return checkInteger(protocol, 0, 255, 'protocol')
  for (const [name, number] of Object.entries(protocols)) if (name === protocol) return number
  const names = Object.keys(protocols).join(', ')
  throw new NetnsError('INVALID', `protocol: expected a number or one of ${names}, got ${describeValue(protocol)}`)
}

/** Returns the name of an IP protocol, or the number if the name is unknown. */
export function protocolName(number: number): string | number {
  return constantName(protocols, number) ?? number
}
