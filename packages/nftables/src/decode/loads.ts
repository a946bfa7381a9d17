import type { Selector } from '../rules/values.ts'
import type { Expression, Expressions } from '../wire/expressions/expression-types.ts'
import type { Family } from '../wire/family.ts'

/** Protocols that earlier statements have checked. The meaning of header offsets depends on them. */
export interface Context {
  network: 'ip' | 'ip6' | undefined
  /** Transport protocol: protocol number (`IPPROTO_…`), or nft's word for the protocol. */
  transport: string | number | undefined
}

/** Protocols that are known before the first statement of a rule, because the table's family implies them. */
export function contextOf(family: Family): Context {
  return { network: family === 'ip' || family === 'ip6' ? family : undefined, transport: undefined }
}

/** Field of the packet that an expression has loaded into register 1. */
export interface Loaded {
  readonly selector: Selector
  /** Number of loaded bytes, if only the beginning of an address is loaded. */
  readonly bytes?: number
  /** True if the expression loads source and destination port together. */
  readonly ports?: true
}

const metaKeys = new Set(['iifname', 'oifname', 'nfproto', 'l4proto', 'mark', 'skuid', 'skgid', 'pkttype'] as const)
const ctKeys = new Set(['state', 'mark', 'direction', 'status'] as const)
const socketKeys = new Set(['transparent', 'mark', 'wildcard'] as const)

const has = <T>(set: ReadonlySet<T>, key: unknown): key is T => (set as ReadonlySet<unknown>).has(key)

/** Selector that an expression loads into register 1; `undefined` for unknown fields. */
export function loadedBy(expression: Expression, context: Context): Loaded | undefined {
  if (!('dreg' in expression) || expression.dreg !== 1) return undefined
  switch (expression.name) {
    case 'meta':
      return has(metaKeys, expression.key) && expression.sreg === undefined ? { selector: expression.key } : undefined
    case 'ct':
      return has(ctKeys, expression.key) && expression.sreg === undefined && expression.direction === undefined
        ? { selector: `ct ${expression.key}` }
        : undefined
    case 'socket':
      return has(socketKeys, expression.key) && (expression.level ?? 0) === 0
        ? { selector: `socket ${expression.key}` }
        : undefined
    case 'fib':
      return expression.result === 'type' && (expression.flags === 1 || expression.flags === 2)
        ? { selector: expression.flags === 1 ? 'fib saddr type' : 'fib daddr type' }
        : undefined
    case 'payload':
      return header(expression, context)
    default:
      return undefined
  }
}

function header(payload: Expressions['payload'], { network, transport }: Context): Loaded | undefined {
  const { base, offset, len } = payload
  if (payload.sreg !== undefined || payload.checksumType !== undefined) return undefined
  if (base === 'transport') return port(offset, len, transport)
  if (base !== 'network' || network === undefined) return undefined
  const [protocolAt, source, target, length] = network === 'ip' ? [9, 12, 16, 4] : [6, 8, 24, 16]
  if (offset === protocolAt && len === 1) return { selector: network === 'ip' ? 'ip protocol' : 'ip6 nexthdr' }
  if ((offset !== source && offset !== target) || len > length) return undefined
  const selector = `${network} ${offset === source ? 'saddr' : 'daddr'}` as const
  return len === length ? { selector } : { selector, bytes: len }
}

/** Transport protocols without ports. Number 2 is IGMP. */
const withoutPorts: ReadonlySet<string | number> = new Set(['icmp', 2, 'ah', 'ipv6-icmp', 'comp'])

const FLAGS_OF_TCP = 13

function port(offset: number, len: number, transport: Context['transport']): Loaded | undefined {
  if (len === 1 && offset === 0) {
    if (transport === 'icmp') return { selector: 'icmp type' }
    return transport === 'ipv6-icmp' ? { selector: 'icmpv6 type' } : undefined
  }
  if (len === 1 && offset === FLAGS_OF_TCP) return transport === 'tcp' ? { selector: 'tcp flags' } : undefined
  if (transport !== undefined && withoutPorts.has(transport)) return undefined
  const header = transport === 'tcp' || transport === 'udp' ? transport : 'th'
  if (offset === 0 && len === 4) return { selector: `${header} sport`, ports: true }
  if (len !== 2 || (offset !== 0 && offset !== 2)) return undefined
  return { selector: `${header} ${offset === 0 ? 'sport' : 'dport'}` }
}
