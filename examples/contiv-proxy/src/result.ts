import { ErrorCode, type IpConfig, type Result } from '@cni/types'
import { parsePrefix } from '@cni/types/ip'
import { contivError } from './failure.ts'
import type { PodResponse } from './protocol.ts'

/**
 * Result of an ADD with the daemon's addresses, which keep their host bits.
 *
 * @throws if an address is invalid, although the original plugin only logs the error
 */
export function toResult({ ipaddress, ipv6address }: PodResponse, name: string, sandbox: string): Result {
  const ips = [ipOf('ipaddress', 4, ipaddress)]
  if (ipv6address) ips.push(ipOf('ipv6address', 6, ipv6address))
  return { interfaces: [{ name, sandbox }], ips }
}

function ipOf(member: string, family: 4 | 6, address = ''): IpConfig {
  if (familyOf(address) === family) return { address, interface: 0 }
  const expected = `expected an IPv${family} address with its prefix`
  throw contivError(ErrorCode.internal, `${member}: ${expected}, got ${JSON.stringify(address)}`)
}

function familyOf(address: string): 4 | 6 | undefined {
  const prefix = address.includes('/') ? parsePrefix(address) : undefined
  return prefix && (prefix.bytes.length === 4 ? 4 : 6)
}
