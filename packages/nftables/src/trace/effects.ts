import { plainAddress } from '@cni/types/packet'
import type { Action, MarkValue, Nat, Redirect, Tproxy } from '../rules/statement.ts'
import type { Range } from '../rules/values.ts'
import { hasConnection, isLocal, isLoopback, type TracedPacket } from './traced-packet.ts'

/** Result of a rule's action for a traced packet. */
export type Outcome =
  | { readonly kind: 'continue' | 'accept'; readonly effect?: string }
  | { readonly kind: 'drop' | 'reject' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Kinds of actions that change no packet and give no verdict. */
const harmless: ReadonlySet<string> = new Set(['counter', 'log', 'nftrace set', 'continue', 'limit'])

/** True if a statement changes no packet and gives no verdict. */
export const isHarmless = ({ kind }: { readonly kind: string }): boolean => harmless.has(kind)

/** Applies an action of a rule to the traced packet. The caller handles jumps. */
export function act(action: Action, traced: TracedPacket): Outcome {
  switch (action.kind) {
    case 'accept':
    case 'drop':
    case 'reject':
      return { kind: action.kind }
    case 'limit':
      return limited(action.over === true, traced)
    case 'mark set':
      traced.mark = markOf(action.to, traced)
      return { kind: 'continue', effect: `mark ${shown(traced.mark)}` }
    case 'ct mark set':
      return setConnectionMark(action.to, traced)
    case 'ct zone set':
      return setZone(action.to, traced)
    case 'notrack':
      // `notrack` has no effect on a packet that already has a connection or a conntrack template.
      if (traced.tracking !== 'before') return { kind: 'continue' }
      traced.tracking = 'untracked'
      return { kind: 'continue', effect: 'not tracked' }
    case 'redirect':
      return redirect(action, traced)
    case 'dnat':
      return dnat(action, traced)
    case 'snat':
    case 'masquerade':
      return newSource(action, traced)
    case 'tproxy':
      return tproxy(action, traced)
    default:
      return { kind: 'continue' }
  }
}

function limited(over: boolean, { options }: TracedPacket): Outcome {
  if (options.limit === undefined) return unknown('whether the packet is within the rate is not known')
  return { kind: (options.limit === 'exceeded') === over ? 'continue' : 'leave' }
}

function markOf(to: MarkValue, traced: TracedPacket): number | undefined {
  if (typeof to === 'number') return to
  const { of, and = 0xffff_ffff, xor = 0 } = to
  const old = of === 'mark' ? traced.mark : traced.connmark
  // An unknown old mark does not matter if the mask `and` clears all its bits.
  if (old === undefined) return and === 0 ? xor : undefined
  return ((old & and) ^ xor) >>> 0
}

function setConnectionMark(to: MarkValue, traced: TracedPacket): Outcome {
  if (!hasConnection(traced)) return { kind: 'continue', effect: 'no connection' }
  if (traced.tracking === 'template') return unknown('a connection mark before conntrack is not modelled')
  traced.connmark = markOf(to, traced)
  return { kind: 'continue', effect: `connmark ${shown(traced.connmark)}` }
}

function setZone(zone: number, traced: TracedPacket): Outcome {
  if (traced.tracking !== 'before') return { kind: 'continue' }
  traced.tracking = 'template'
  traced.zone = zone
  return { kind: 'continue', effect: `zone ${zone}` }
}

function redirect({ port }: Redirect, traced: TracedPacket): Outcome {
  if (typeof port === 'object') return unknown('a range of ports is not modelled')
  const loopback = traced.family === 'ip' ? '127.0.0.1' : '::1'
  const here = traced.packet.local?.map(plainAddress).find((each) => each.includes(':') === loopback.includes(':'))
  traced.rewritten = 'redirect'
  return rewrite(traced, traced.hook === 'output' ? loopback : here, port ?? traced.dport)
}

function dnat({ address, port }: Nat, traced: TracedPacket): Outcome {
  if (typeof address === 'object' || typeof port === 'object')
    return unknown('ranges of addresses or ports are not modelled')
  const to = address === undefined ? traced.destination : plainAddress(address)
  if (to === undefined) return unknown('the destination is not known')
  // The kernel drops a packet between a loopback address and another machine if `route_localnet` is off.
  const source = traced.source.address ?? traced.destination
  const leaves = source === undefined || (isLoopback(source) && isLocal(to, traced) !== true)
  if (traced.from === 'local' ? leaves : isLoopback(to)) return unknown('whether loopback is routed is not known')
  traced.rewritten = 'dnat'
  return rewrite(traced, to, port ?? traced.dport)
}

/** Rewrites the traced packet's source. An address or port that only the kernel chooses becomes unknown. */
function newSource(action: Nat | Redirect, traced: TracedPacket): Outcome {
  const address = 'address' in action ? action.address : undefined
  const isOne = typeof address === 'string'
  traced.source = isOne ? { address: plainAddress(address) } : {}
  return { kind: 'accept', effect: isOne ? `from ${address}` : 'source rewritten' }
}

function rewrite(traced: TracedPacket, address: string | undefined, port: number | undefined): Outcome {
  traced.destination = address
  traced.dport = port
  return { kind: 'accept', effect: `to ${address ?? 'this machine'}${port === undefined ? '' : ` port ${port}`}` }
}

function tproxy({ address, port, family }: Tproxy, traced: TracedPacket): Outcome {
  if (family !== undefined && family !== traced.family) return { kind: 'leave' }
  const to: number | Range<number> | undefined = port ?? traced.dport
  if (to === undefined) return unknown('the destination port is not known')
  traced.tproxy = address === undefined ? { port: to } : { address: plainAddress(address), port: to }
  return { kind: 'continue', effect: `to the proxy on port ${to}` }
}

const unknown = (reason: string): Outcome => ({ kind: 'unknown', reason })

const shown = (mark: number | undefined) => (mark === undefined ? 'not known' : `0x${mark.toString(16)}`)
