import { formatAddress } from '@cni/types/ip'
import { plainAddress } from '@cni/types/packet'
import type { CanonicalRule } from '../parse/canonical.ts'
import { hasConnection, isLocal, isLoopback, type TracedPacket } from './traced-packet.ts'

/** Effect of a rule's target on a traced packet. */
export type Outcome =
  | { readonly kind: 'continue'; readonly effect?: string }
  | { readonly kind: 'accept'; readonly effect?: string }
  | { readonly kind: 'drop'; readonly verdict: 'DROP' | 'REJECT' }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Targets that the trace can ignore, because no modelled condition depends on their changes of the packet. */
const harmless: ReadonlySet<string> = new Set([
  ...['', 'LOG', 'NFLOG', 'TRACE', 'AUDIT', 'CHECKSUM', 'CLASSIFY', 'TCPMSS', 'TOS', 'DSCP', 'TTL', 'HL'],
])

/** True if no modelled condition depends on the target's effect. */
export const isHarmless = (target: string): boolean => harmless.has(target)

/** Applies a target, other than a jump, to the traced packet. */
export function act({ target, targetOptions }: CanonicalRule, traced: TracedPacket): Outcome {
  if (harmless.has(target)) return { kind: 'continue' }
  const options = new Map(targetOptions.map((text) => split(text)))
  switch (target) {
    case 'ACCEPT':
      return { kind: 'accept' }
    case 'DROP':
    case 'REJECT':
      return { kind: 'drop', verdict: target }
    case 'MARK':
      return setMark(options.get('set-xmark'), traced)
    case 'CONNMARK':
      return connmark(options, traced)
    case 'CT':
      return ct(options, traced)
    case 'SET':
      return changeSet(options, traced)
    case 'TPROXY':
      return tproxy(options, traced)
    case 'REDIRECT':
      return redirect(options, traced)
    case 'DNAT':
      return dnat(options, traced)
    case 'SNAT':
    case 'MASQUERADE':
      return snat(options, traced)
    default:
      return unknown(`the target ${target} is not modelled`)
  }
}

// internal

type Options = ReadonlyMap<string, string>

function setMark(text: string | undefined, traced: TracedPacket): Outcome {
  const pair = maskPair(text)
  if (pair === undefined) return unknown('this way to write a mark is not modelled')
  traced.mark = mix(traced.mark, pair.mask, pair.value)
  return { kind: 'continue', effect: `mark ${shown(traced.mark)}` }
}

function connmark(options: Options, traced: TracedPacket): Outcome {
  if (!hasConnection(traced)) return { kind: 'continue', effect: 'no connection' }
  if (traced.tracking === 'template') return unknown('a connection mark before conntrack is not modelled')
  const set = maskPair(options.get('set-xmark'))
  if (set !== undefined) {
    traced.connmark = mix(traced.connmark, set.mask, set.value)
    return { kind: 'continue', effect: `connmark ${shown(traced.connmark)}` }
  }
  const save = maskPair(options.get('save-mark'))
  if (save !== undefined) {
    traced.connmark = copy(traced.mark, save.value, traced.connmark, save.mask)
    return { kind: 'continue', effect: `connmark ${shown(traced.connmark)}` }
  }
  const restore = maskPair(options.get('restore-mark'))
  if (restore === undefined) return unknown('this way to write a connection mark is not modelled')
  traced.mark = copy(traced.connmark, restore.mask, traced.mark, restore.value)
  return { kind: 'continue', effect: `mark ${shown(traced.mark)}` }
}

function ct(options: Options, traced: TracedPacket): Outcome {
  // The target CT changes nothing after conntrack has assigned a connection to the packet.
  if (traced.tracking !== 'before') return { kind: 'continue' }
  if (options.has('notrack') && options.size === 1) {
    traced.tracking = 'untracked'
    return { kind: 'continue', effect: 'not tracked' }
  }
  if ([...options.keys()].some((option) => !['zone', 'zone-orig', 'zone-reply'].includes(option))) {
    return unknown('this option of CT is not modelled')
  }
  const zone = Number(options.get('zone') ?? options.get('zone-orig') ?? 0)
  if (Number.isNaN(zone)) return unknown('a zone by mark is not modelled')
  traced.tracking = 'template'
  traced.zone = zone
  return { kind: 'continue', effect: `zone ${zone}` }
}

function changeSet(options: Options, traced: TracedPacket): Outcome {
  const name = (options.get('add-set') ?? options.get('del-set') ?? '').split(' ')[0] ?? ''
  traced.changedSets.add(name)
  return { kind: 'continue', effect: `set ${name} changed` }
}

function tproxy(options: Options, traced: TracedPacket): Outcome {
  const pair = maskPair(options.get('tproxy-mark'))
  const port = onePort(options.get('on-port')) ?? Number.NaN
  if (pair === undefined || Number.isNaN(port)) return unknown('these options of TPROXY are not modelled')
  const ip = options.get('on-ip')
  const to = port === 0 ? traced.dport : port
  if (to === undefined) return unknown('the destination port is not known')
  traced.tproxy = ip === undefined ? { port: to } : { address: fromBytes(ip) ?? ip, port: to }
  traced.mark = mix(traced.mark, pair.mask, pair.value)
  return { kind: 'accept', effect: `to the proxy on port ${to}` }
}

function redirect(options: Options, traced: TracedPacket): Outcome {
  const text = options.get('to-ports')
  const port = text === undefined ? traced.dport : onePort(text)
  if (text !== undefined && port === undefined) return unknown('a range of ports is not modelled')
  const loopback = traced.family === 'ipv4' ? '127.0.0.1' : '::1'
  const here = traced.packet.local?.map(plainAddress).find((each) => each.includes(':') === loopback.includes(':'))
  traced.rewritten = 'REDIRECT'
  return rewrite(traced, traced.hook === 'OUTPUT' ? loopback : here, port)
}

function dnat(options: Options, traced: TracedPacket): Outcome {
  const text = options.get('to-destination')
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text ?? '') ?? []
  const written = bracketed ?? plain
  const address = written === '' ? traced.dst : fromBytes(written)
  const to = port === undefined ? traced.dport : onePort(port)
  if (text === undefined || address === undefined || (port !== undefined && to === undefined)) {
    return unknown('ranges of addresses or ports are not modelled')
  }
  // The kernel drops packets that are rewritten to a loopback address, unless route_localnet is set.
  const source = traced.packet.src === undefined ? traced.dst : plainAddress(traced.packet.src)
  const leaves = source === undefined || (isLoopback(source) && isLocal(address, traced) !== true)
  if (traced.from === 'local' ? leaves : isLoopback(address)) return unknown('whether loopback is routed is not known')
  traced.rewritten = 'DNAT'
  return rewrite(traced, address, to)
}

function snat(options: Options, traced: TracedPacket): Outcome {
  // For MASQUERADE and for ranges, the kernel chooses the new source address.
  const text = options.get('to-source') ?? ''
  const address = fromBytes(
    /^\[([^\]]*)\]/.exec(text)?.[1] ?? (traced.family === 'ipv4' ? text.split(':')[0] : text) ?? '',
  )
  traced.source = address === undefined ? {} : { address }
  return { kind: 'accept', effect: address === undefined ? 'source rewritten' : `from ${address}` }
}

function rewrite(traced: TracedPacket, dst: string | undefined, dport: number | undefined): Outcome {
  const known = dst !== undefined && traced.dst !== undefined
  if (known || dport !== traced.dport) traced.dnat = dst !== traced.dst || dport !== traced.dport
  else traced.dnat = undefined
  traced.dst = dst
  traced.dport = dport
  return { kind: 'accept', effect: `to ${dst ?? 'this machine'}${dport === undefined ? '' : ` port ${dport}`}` }
}

const unknown = (reason: string): Outcome => ({ kind: 'unknown', reason })

const split = (text: string): [string, string] => {
  const at = text.indexOf(' ')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function maskPair(text: string | undefined): { value: number; mask: number } | undefined {
  if (text === undefined || !/^0x[0-9a-f]+\/0x[0-9a-f]+$/.test(text)) return undefined
  const [value = 0, mask = 0] = text.split('/').map(Number)
  return { value, mask }
}

/** Mark of a packet or connection after `--set-xmark`. */
function mix(old: number | undefined, mask: number, value: number): number | undefined {
  if (old === undefined) return mask === 0xffffffff ? value : undefined
  return ((old & ~mask) ^ value) >>> 0
}

function copy(from: number | undefined, fromMask: number, to: number | undefined, toMask: number): number | undefined {
  return from === undefined ? undefined : mix(to, toMask, (from & fromMask) >>> 0)
}

const onePort = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined

/** Parses an address of a canonical rule. A canonical rule writes an IPv6 address as bytes with dots between them. */
function fromBytes(text: string): string | undefined {
  const bytes = text.split('.')
  if ((bytes.length !== 4 && bytes.length !== 16) || bytes.some((byte) => !/^\d{1,3}$/.test(byte))) return undefined
  return bytes.some((byte) => Number(byte) > 255) ? undefined : formatAddress(Uint8Array.from(bytes, Number))
}

const shown = (mark: number | undefined) => (mark === undefined ? 'not known' : `0x${mark.toString(16)}`)
