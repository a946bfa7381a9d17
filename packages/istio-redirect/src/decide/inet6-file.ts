import { formatAddress } from '@cni/types/ip'

/** The addresses in a text of `/proc/net/if_inet6`, `address/bits`, without those that no other host can reach. */
export function inet6Addresses(text: string): string[] {
  const addresses: string[] = []
  for (const line of text.split('\n')) {
    const [digits, , bits, scope] = line.split(' ')
    if (digits === undefined || bits === undefined || scope === hostScope || scope === linkScope) continue
    addresses.push(`${formatAddress(Buffer.from(digits, 'hex'))}/${Number.parseInt(bits, 16)}`)
  }
  return addresses
}

// internal

/** As in the file, of `::1` and of `fe80::/10`. */
const hostScope = '10'
const linkScope = '20'
