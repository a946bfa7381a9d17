import { networkAddress, parseAddress, parsePrefix } from '@cni/types/ip'
import { invalid } from '../errors.ts'
import type { Family } from './model.ts'

/** Validates an address or CIDR of `family` and returns it unchanged. Host bits may be set. */
export function checkNetwork(text: string, family: Family, what: string): string {
  const network = typeof text === 'string' ? parseNetwork(text, family) : undefined
  if (network === undefined) {
    invalid(`${what}: ${JSON.stringify(text)} is not an ${names[family]} address or CIDR, such as ${samples[family]}`)
  }
  return text
}

/** Validates an address of `family` and returns it unchanged. */
export function checkAddress(text: string, family: Family, what: string): string {
  const bytes = typeof text === 'string' ? parseAddress(text) : undefined
  if (bytes?.length !== (family === 'ipv4' ? 4 : 16)) {
    const sample = samples[family].replace(/\/.*/, '1')
    invalid(`${what}: ${JSON.stringify(text)} is not an ${names[family]} address, such as ${sample}`)
  }
  return text
}

/** Parses `address` or `address/prefix` of `family`. Returns `undefined` for other text. */
export function parseNetwork(text: string, family: Family): ReturnType<typeof parsePrefix> {
  const network = parsePrefix(text)
  return network?.bytes.length === (family === 'ipv4' ? 4 : 16) ? network : undefined
}

/** Canonical text of a network with host bits cleared. Equal networks have equal texts. */
export function canonicalNetwork(network: NonNullable<ReturnType<typeof parsePrefix>>): string {
  return `${networkAddress(network).join('.')}/${network.length}`
}

// internal

const names = { ipv4: 'IPv4', ipv6: 'IPv6' }
const samples = { ipv4: '10.0.0.0/8', ipv6: 'fd00::/8' }
