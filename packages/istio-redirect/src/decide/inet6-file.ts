import { formatAddress } from '@cni/types/ip'

/**
 * Parses the addresses (`address/bits`) in the text of `/proc/net/if_inet6`. Skips addresses of host and link scope.
 */
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

/** Scopes in the kernel's file `/proc/net/if_inet6`: host scope for `::1`, and link scope for `fe80::/10`. */
const hostScope = '10'
const linkScope = '20'
