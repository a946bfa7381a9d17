import { CniError, ErrorCode } from '@cni/types'
import { formatAddress, parseAddress } from '@cni/types/ip'
import { contains, nextAddress, subnet } from '@cni/types/subnet'
import * as z from 'zod/mini'

/** Schema of an address range in the network configuration. */
export const range = z.object({
  /** Network of the range in CIDR form, such as `10.88.0.0/24` or `fd88::/64`. */
  subnet: z.string(),
  /** First address of the range for pods. Default: the first address of the network after the gateway. */
  first: z.optional(z.string()),
  /** Last address of the range for pods. Default: the last address of the network before the broadcast address. */
  last: z.optional(z.string()),
  /** Address of the pods' gateway. Default: the first address of the network after the network address. */
  gateway: z.optional(z.string()),
})

/** An address range after validation, with the defaults of all missing members. */
export interface Range {
  readonly cidr: string
  readonly prefixLength: number
  readonly first: string
  readonly last: string
  readonly gateway: string
}

/** Validates an address range and adds defaults. Throws `CniError` 7 with the path of an invalid member. */
export function rangeOf(conf: z.infer<typeof range>, index: number): Range {
  const invalid = (member: string, problem: string): CniError =>
    new CniError(ErrorCode.invalidNetworkConfig, `ipam.ranges[${index}].${member}: ${problem}`)
  const network = networkIn(conf.subnet, (text) => invalid('subnet', text))
  const { cidr, family, prefixLength } = network
  if (network.size < 4n) {
    throw invalid('subnet', `expected a network of 4 addresses or more, got ${quoted(conf.subnet)}`)
  }

  const addressIn = (member: 'first' | 'last' | 'gateway', preset: string): string => {
    const text = conf[member] ?? preset
    const bytes = parseAddress(text)
    const address = bytes && formatAddress(bytes)
    if (address !== undefined && contains(cidr, address)) return address
    throw invalid(member, `expected an address in ${cidr}, got ${quoted(text)}`)
  }
  const second = nextAddress(network.first) ?? network.first
  const first = addressIn('first', second)
  const last = addressIn('last', family === 'ipv4' ? (nextAddress(network.last, -1) ?? network.last) : network.last)
  const gateway = addressIn('gateway', second)
  const found = { cidr, prefixLength, first, last, gateway }
  if (!isBefore(last, first) && freeIn(found, new Set()) !== undefined) return found
  throw invalid('subnet', `no address of ${cidr} from ${first} to ${last} is left for pods`)
}

/** Lowest free address of a range. `undefined` if every address is in use. */
export function freeIn({ first, last, gateway }: Range, taken: ReadonlySet<string>): string | undefined {
  let address: string | undefined = first
  while (address !== undefined && (address === gateway || taken.has(address))) {
    address = address === last ? undefined : nextAddress(address)
  }
  return address
}

function networkIn(text: string, invalid: (problem: string) => CniError) {
  if (text.includes('/') && text.length < 100) {
    try {
      return subnet(text)
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause
    }
  }
  throw invalid(`expected ADDRESS/LENGTH, got ${quoted(text)}`)
}

const isBefore = (one: string, other: string): boolean =>
  Buffer.compare(parseAddress(one) ?? Buffer.alloc(0), parseAddress(other) ?? Buffer.alloc(0)) < 0

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100))
