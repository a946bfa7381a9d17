import { formatAddress } from '@cni/types/ip'
import { plainAddress } from '@cni/types/packet'
import type { CanonicalRule } from '../parse/canonical.ts'
import { type Flight, hasConnection, isLocal, isLoopback } from './state.ts'

/** What a target does: it lets the packet go on, ends the table, ends the way, or is not modelled. */
export type Outcome =
  | { readonly kind: 'continue'; readonly effect?: string }
  | { readonly kind: 'accept'; readonly effect?: string }
  | { readonly kind: 'drop'; readonly verdict: 'DROP' | 'REJECT' }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Targets that change nothing that a condition we model can see. */
const harmless: ReadonlySet<string> = new Set([
  ...['', 'LOG', 'NFLOG', 'TRACE', 'AUDIT', 'CHECKSUM', 'CLASSIFY', 'TCPMSS', 'TOS', 'DSCP', 'TTL', 'HL'],
])

/** Whether a rule leaves no trace in the packet, so that it does not matter whether it matched. */
export const isHarmless = (target: string): boolean => harmless.has(target)

/** Does to the packet what a target other than a jump does. */
export function act({ target, targetOptions }: CanonicalRule, flight: Flight): Outcome {
  if (harmless.has(target)) return { kind: 'continue' }
  const options = new Map(targetOptions.map((text) => split(text)))
  switch (target) {
    case 'ACCEPT':
      return { kind: 'accept' }
    case 'DROP':
    case 'REJECT':
      return { kind: 'drop', verdict: target }
    case 'MARK':
      return setMark(options.get('set-xmark'), flight)
    case 'CONNMARK':
      return connmark(options, flight)
    case 'CT':
      return ct(options, flight)
    case 'SET':
      return changeSet(options, flight)
    case 'TPROXY':
      return tproxy(options, flight)
    case 'REDIRECT':
      return redirect(options, flight)
    case 'DNAT':
      return dnat(options, flight)
    case 'SNAT':
    case 'MASQUERADE':
      return snat(options, flight)
    default:
      return unknown(`the target ${target} is not modelled`)
  }
}

// internal

type Options = ReadonlyMap<string, string>

function setMark(text: string | undefined, flight: Flight): Outcome {
  const pair = maskPair(text)
  if (pair === undefined) return unknown('this way to write a mark is not modelled')
  flight.mark = mix(flight.mark, pair.mask, pair.value)
  return { kind: 'continue', effect: `mark ${shown(flight.mark)}` }
}

function connmark(options: Options, flight: Flight): Outcome {
  if (!hasConnection(flight)) return { kind: 'continue', effect: 'no connection' }
  if (flight.tracking === 'template') return unknown('a connection mark before conntrack is not modelled')
  const set = maskPair(options.get('set-xmark'))
  if (set !== undefined) {
    flight.connmark = mix(flight.connmark, set.mask, set.value)
    return { kind: 'continue', effect: `connmark ${shown(flight.connmark)}` }
  }
  const save = maskPair(options.get('save-mark'))
  if (save !== undefined) {
    flight.connmark = copy(flight.mark, save.value, flight.connmark, save.mask)
    return { kind: 'continue', effect: `connmark ${shown(flight.connmark)}` }
  }
  const restore = maskPair(options.get('restore-mark'))
  if (restore === undefined) return unknown('this way to write a connection mark is not modelled')
  flight.mark = copy(flight.connmark, restore.mask, flight.mark, restore.value)
  return { kind: 'continue', effect: `mark ${shown(flight.mark)}` }
}

function ct(options: Options, flight: Flight): Outcome {
  // A packet that has a connection, a template or none for good keeps that.
  if (flight.tracking !== 'before') return { kind: 'continue' }
  if (options.has('notrack') && options.size === 1) {
    flight.tracking = 'untracked'
    return { kind: 'continue', effect: 'not tracked' }
  }
  if ([...options.keys()].some((option) => !['zone', 'zone-orig', 'zone-reply'].includes(option))) {
    return unknown('this option of CT is not modelled')
  }
  const zone = Number(options.get('zone') ?? options.get('zone-orig') ?? 0)
  if (Number.isNaN(zone)) return unknown('a zone by mark is not modelled')
  flight.tracking = 'template'
  flight.zone = zone
  return { kind: 'continue', effect: `zone ${zone}` }
}

function changeSet(options: Options, flight: Flight): Outcome {
  const name = (options.get('add-set') ?? options.get('del-set') ?? '').split(' ')[0] ?? ''
  flight.changedSets.add(name)
  return { kind: 'continue', effect: `set ${name} changed` }
}

function tproxy(options: Options, flight: Flight): Outcome {
  const pair = maskPair(options.get('tproxy-mark'))
  const port = onePort(options.get('on-port')) ?? Number.NaN
  if (pair === undefined || Number.isNaN(port)) return unknown('these options of TPROXY are not modelled')
  const ip = options.get('on-ip')
  const to = port === 0 ? flight.dport : port
  if (to === undefined) return unknown('the destination port is not known')
  flight.tproxy = ip === undefined ? { port: to } : { address: fromBytes(ip) ?? ip, port: to }
  flight.mark = mix(flight.mark, pair.mask, pair.value)
  return { kind: 'accept', effect: `to the proxy on port ${to}` }
}

function redirect(options: Options, flight: Flight): Outcome {
  const text = options.get('to-ports')
  const port = text === undefined ? flight.dport : onePort(text)
  if (text !== undefined && port === undefined) return unknown('a range of ports is not modelled')
  const loopback = flight.family === 'ipv4' ? '127.0.0.1' : '::1'
  const here = flight.packet.local?.map(plainAddress).find((each) => each.includes(':') === loopback.includes(':'))
  flight.rewritten = 'REDIRECT'
  return rewrite(flight, flight.hook === 'OUTPUT' ? loopback : here, port)
}

function dnat(options: Options, flight: Flight): Outcome {
  const text = options.get('to-destination')
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text ?? '') ?? []
  const written = bracketed ?? plain
  const address = written === '' ? flight.dst : fromBytes(written)
  const to = port === undefined ? flight.dport : onePort(port)
  if (text === undefined || address === undefined || (port !== undefined && to === undefined)) {
    return unknown('ranges of addresses or ports are not modelled')
  }
  // Without route_localnet the kernel drops what would leave from, or come in to, a loopback address.
  const source = flight.packet.src === undefined ? flight.dst : plainAddress(flight.packet.src)
  const leaves = source === undefined || (isLoopback(source) && isLocal(address, flight) !== true)
  if (flight.from === 'local' ? leaves : isLoopback(address)) return unknown('whether loopback is routed is not known')
  flight.rewritten = 'DNAT'
  return rewrite(flight, address, to)
}

function snat(options: Options, flight: Flight): Outcome {
  // MASQUERADE takes an address of the interface, ranges let the kernel choose; a port is kept only while it is free.
  const text = options.get('to-source') ?? ''
  const address = fromBytes(
    /^\[([^\]]*)\]/.exec(text)?.[1] ?? (flight.family === 'ipv4' ? text.split(':')[0] : text) ?? '',
  )
  flight.source = address === undefined ? {} : { address }
  return { kind: 'accept', effect: address === undefined ? 'source rewritten' : `from ${address}` }
}

function rewrite(flight: Flight, dst: string | undefined, dport: number | undefined): Outcome {
  const known = dst !== undefined && flight.dst !== undefined
  if (known || dport !== flight.dport) flight.dnat = dst !== flight.dst || dport !== flight.dport
  else flight.dnat = undefined
  flight.dst = dst
  flight.dport = dport
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

/** Clears the bits of the mask, then xors: what is known stays so unless unknown bits remain. */
function mix(old: number | undefined, mask: number, value: number): number | undefined {
  if (old === undefined) return mask === 0xffffffff ? value : undefined
  return ((old & ~mask) ^ value) >>> 0
}

function copy(from: number | undefined, fromMask: number, to: number | undefined, toMask: number): number | undefined {
  return from === undefined ? undefined : mix(to, toMask, (from & fromMask) >>> 0)
}

const onePort = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined

/** Canonical IPv6 addresses are bytes with dots between. */
function fromBytes(text: string): string | undefined {
  const bytes = text.split('.')
  if ((bytes.length !== 4 && bytes.length !== 16) || bytes.some((byte) => !/^\d{1,3}$/.test(byte))) return undefined
  return bytes.some((byte) => Number(byte) > 255) ? undefined : formatAddress(Uint8Array.from(bytes, Number))
}

const shown = (mark: number | undefined) => (mark === undefined ? 'not known' : `0x${mark.toString(16)}`)
