import { type DataType, dataTypes, last } from '../rules/data-type.ts'
import { spanOf } from '../rules/spans.ts'
import type { Nat, NatFlag, Redirect, Reject, Tproxy } from '../rules/statement.ts'
import type { Range } from '../rules/values.ts'
import type { Family } from '../wire/family.ts'
import { valueText } from './values.ts'
import { rejectCodes } from './words.ts'

/** Text of a NAT statement, such as `dnat ip to 10.0.0.1:80 random`, `redirect to :15001`. */
export function natText(nat: Nat | Redirect, table: Family): string {
  const words: string[] = [nat.kind]
  const address = 'address' in nat && nat.address !== undefined ? nat.address : undefined
  if ('family' in nat && address !== undefined && table === 'inet') words.push(nat.family)
  const port = nat.port === undefined ? '' : `:${portText(nat.port)}`
  if (address !== undefined && 'family' in nat) words.push(`to ${addressText(address, nat.family, port !== '')}${port}`)
  else if (port !== '') words.push(`to ${port}`)
  const flags = order.filter((flag) => nat.flags?.includes(flag))
  return [...words, ...(flags.length === 0 ? [] : [flags.join(',')])].join(' ')
}

const order: readonly NatFlag[] = ['random', 'fully-random', 'persistent']

/** Text of a `tproxy` statement, such as `tproxy ip to 127.0.0.1:15006`. */
export function tproxyText({ family, address, port }: Tproxy, table: Family): string {
  const of = family !== undefined && table === 'inet' ? ` ${family}` : ''
  const shown =
    address === undefined
      ? ''
      : address.includes(':')
        ? `[${valueText(dataTypes.ipv6_addr, address)}]`
        : valueText(dataTypes.ipv4_addr, address)
  return `tproxy${of} to ${shown}${port === undefined ? '' : `:${port}`}`
}

/** Text of a `reject` statement, such as `reject with icmp host-unreachable`. nft omits the default ICMP code. */
export function rejectText(reject: Reject, table: Family): string {
  if (reject.with === 'tcp reset') return 'reject with tcp reset'
  const { with: kind, code } = reject
  const isUsual =
    (kind === 'icmpx' && code === 1) ||
    (table === 'ip' && kind === 'icmp' && code === 3) ||
    (table === 'ip6' && kind === 'icmpv6' && code === 4)
  return isUsual ? 'reject' : `reject with ${kind} ${rejectCodes[kind].get(code) ?? code}`
}

const portText = (port: number | Range<number>): string =>
  typeof port === 'number' ? String(port) : `${port.from}-${port.to}`

function addressText(address: string | Range<string>, family: 'ip' | 'ip6', withPort: boolean): string {
  const type = family === 'ip' ? dataTypes.ipv4_addr : dataTypes.ipv6_addr
  const shown = (text: string) => {
    const written = valueText(type, text)
    return withPort && family === 'ip6' ? `[${written}]` : written
  }
  if (typeof address === 'string') return shown(address)
  const network = networkOf(type, address)
  // Prints the range as a network without brackets, even before a port, as in nft.
  return network === undefined ? `${shown(address.from)}-${shown(address.to)}` : valueText(type, network)
}

/** Network that covers exactly a range of addresses. `undefined` if there is no such network. */
function networkOf(type: DataType, { from, to }: Range<string>): string | undefined {
  const first = type.write(from)?.from
  const end = type.write(to)?.from
  if (first === undefined || end === undefined) return undefined
  const { bits } = spanOf(type, first, end)
  if (bits === undefined) return undefined
  const network = type.read({ from: first, to: last(first, bits), bits })
  return typeof network === 'string' ? network : undefined
}
