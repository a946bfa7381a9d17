import { type IpFamily, parsePrefix } from '@cni/types/ip'

/** A parsed firewall entry for incoming packets, such as `tcp 8000-8080 from 10.0.0.0/8`. */
export interface Entry {
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  /** Destination port or port range of the firewall entry. A missing value means any port. */
  readonly ports?: number | `${number}:${number}`
  /** Source address or network of the firewall entry. A missing value means any source. */
  readonly from?: { readonly family: IpFamily; readonly network: string }
}

/** Syntax of a firewall entry, for error messages. */
export const ENTRY_FORM = 'expected "tcp|udp [PORT[-PORT]]" or "icmp", and perhaps "from ADDRESS[/LENGTH]" after it'

/** Parses a firewall entry. The text is untrusted, because a pod's annotation may contain it. */
export function parseEntry(text: string): Entry | undefined {
  const found =
    /^(?:(?<ported>tcp|udp)(?: (?<first>\d{1,5})(?:-(?<last>\d{1,5}))?)?|icmp)(?: from (?<from>\S+))?$/.exec(text)
  if (found === null) return undefined
  const { ported, first, last = first, from } = found.groups ?? {}
  const [low, high] = [Number(first ?? 1), Number(last ?? 1)]
  if (low < 1 || high > 65535 || low > high) return undefined
  const prefix = from === undefined ? undefined : parsePrefix(from)
  if (from !== undefined && prefix === undefined) return undefined
  return {
    protocol: ported === 'tcp' || ported === 'udp' ? ported : 'icmp',
    ...(first === undefined ? {} : { ports: low === high ? low : (`${low}:${high}` as const) }),
    ...(from === undefined || prefix === undefined
      ? {}
      : { from: { family: prefix.bytes.length === 4 ? 'ipv4' : 'ipv6', network: from } }),
  }
}
