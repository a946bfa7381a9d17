import type { Expression } from '@cni/nftables/wire'
import { parseAddress } from '@cni/types/ip'
import type { Family, Target } from '../rules/model.ts'
import { ctEvents, logLevels } from '../rules/words.ts'
import { forFamily } from '../text/match-args.ts'
import { xtTarget } from '../xt/expressions.ts'
import { Structure } from '../xt/structure.ts'
import {
  ADDRESSES,
  ALL,
  bitsOf,
  CLAMP,
  CT_MARK,
  CT_NOTRACK,
  CT_ORIG,
  CT_REPLY,
  connmarkModes,
  logBits,
  NFLOG_COPY,
  natBits,
  PORTS,
  rejects,
  USUAL_LEVEL,
} from '../xt/words.ts'

const end = (verdict: 'accept' | 'drop' | 'return'): Expression =>
  Object.freeze({ name: 'immediate', dreg: 0, data: Object.freeze({ verdict }) })
const verdicts = { ACCEPT: end('accept'), DROP: end('drop'), RETURN: end('return') } as const

/** Encodes a rule's target; `undefined` for targets that this package does not model. */
export function targetExpressions(target: Target, family: Family): Expression[] | undefined {
  switch (target.target) {
    case 'none':
      return []
    case 'ACCEPT':
    case 'DROP':
    case 'RETURN':
      return [verdicts[target.target]]
    case 'jump':
    case 'goto':
      return [{ name: 'immediate', dreg: 0, data: { verdict: target.target, chain: target.chain } }]
    default: {
      const found = xt(target, family)
      return found === undefined ? undefined : [found]
    }
  }
}

type XtTarget = Exclude<Target, { target: 'none' | 'ACCEPT' | 'DROP' | 'RETURN' | 'jump' | 'goto' }>

function xt(target: XtTarget, family: Family): Expression | undefined {
  switch (target.target) {
    case 'REDIRECT':
    case 'MASQUERADE':
      return nat(target.target, { ports: target.ports?.split('-').map(Number) ?? [] }, target.flags, family)
    case 'SNAT':
    case 'DNAT': {
      const to = destination(forFamily(target.to, family))
      return to && nat(target.target, to, target.flags, family)
    }
    case 'TPROXY': {
      const { port, on, mark, mask = ALL } = target
      const info = new Structure(26).u32(0, mark === undefined ? 0 : mask).u32(4, mark ?? 0)
      const address = on === undefined ? undefined : parseAddress(forFamily(on, family))
      if (address !== undefined) info.set(8, address)
      return xtTarget('TPROXY', 1, info.be16(24, port))
    }
    case 'MARK': {
      const [value, mask] = marked(target.action ?? 'set', target.value, target.mask)
      return xtTarget('MARK', 2, new Structure(8).u32(0, value).u32(4, mask))
    }
    case 'CONNMARK':
      return connmark(target)
    case 'CT':
      return connectionTracking(target)
    case 'REJECT':
      return reject(target.with === undefined ? undefined : forFamily(target.with, family), family)
    case 'LOG': {
      const level = target.level === undefined ? USUAL_LEVEL : logLevel(target.level)
      const info = new Structure(32).u8(0, level).u8(1, bitsOf(logBits, target.flags ?? []))
      return xtTarget('LOG', 0, info.text(2, target.prefix ?? ''))
    }
    case 'TCPMSS':
      return xtTarget('TCPMSS', 0, new Structure(2).u16(0, target.mss === 'pmtu' ? CLAMP : target.mss))
    case 'NFLOG': {
      const { group = 0, prefix = '', size, threshold } = target
      // Sets the flag NFLOG_COPY if the rule has a packet size. The kernel ignores the size without this flag.
      const info = new Structure(76)
        .u32(0, size ?? 0)
        .u16(4, group)
        .u16(6, threshold ?? 0)
      return xtTarget('NFLOG', 0, info.u16(8, size === undefined ? 0 : NFLOG_COPY).text(12, prefix))
    }
    default:
      return undefined
  }
}

function logLevel(text: string): number {
  return logLevels.includes(text) ? logLevels.indexOf(text) : Number(text)
}

interface Destination {
  readonly addresses?: readonly Uint8Array[]
  readonly ports: readonly number[]
}

/**
 * Parses the new address of a NAT rule: `address`, `address:port` or `[address]:port`. Each may also be a range
 * `from-to`.
 */
function destination(text: string): Destination | undefined {
  const found = /^(?:\[([^\]]+)\]|([^[\]]*?))(?::(\d+)(?:-(\d+))?)?$/.exec(text)
  const whole = text.split('-').map(parseAddress)
  if (whole.every((each) => each !== undefined)) return { addresses: whole, ports: [] }
  const addresses = (found?.[1] ?? found?.[2] ?? '').split('-').map(parseAddress)
  if (!addresses.every((each) => each !== undefined)) return undefined
  const ports = [found?.[3], found?.[4]].flatMap((port) => (port === undefined ? [] : [Number(port)]))
  return { addresses, ports }
}

function nat(
  name: 'REDIRECT' | 'MASQUERADE' | 'SNAT' | 'DNAT',
  { addresses, ports }: Destination,
  flags: readonly string[] = [],
  family: Family,
): Expression {
  const [from, to = from] = addresses ?? []
  const [first, last = first] = ports
  const bits = (from === undefined ? 0 : ADDRESSES) | (first === undefined ? 0 : PORTS) | bitsOf(natBits, flags)
  if (family === 'ipv4' && name !== 'DNAT') {
    const info = new Structure(20).u32(0, 1).u32(4, bits)
    if (from !== undefined && to !== undefined) info.set(8, from).set(12, to)
    if (first !== undefined && last !== undefined) info.be16(16, first).be16(18, last)
    return xtTarget(name, 0, info)
  }
  const info = new Structure(name === 'DNAT' ? 42 : 40).u32(0, bits)
  if (from !== undefined && to !== undefined) info.set(4, from).set(20, to)
  if (first !== undefined && last !== undefined) info.be16(36, first).be16(38, last)
  return xtTarget(name, name === 'DNAT' ? 2 : name === 'SNAT' ? 1 : 0, info)
}

function marked(action: string, value: number, mask = ALL): readonly [value: number, mask: number] {
  switch (action) {
    case 'and':
      return [0, ~value]
    case 'or':
      return [value, value]
    case 'xor':
      return [value, 0]
    case 'xmark':
      return [value, mask]
    default:
      return [value, mask | value]
  }
}

function connmark(target: Target & { target: 'CONNMARK' }): Expression {
  const mode = 'value' in target ? 0 : connmarkModes.indexOf(target.action)
  const [ctmark, ctmask] =
    'value' in target ? marked(target.action, target.value, target.mask) : [0, target.mask ?? ALL]
  const nfmask = 'value' in target ? ALL : (target.mask ?? ALL)
  return xtTarget('CONNMARK', 2, new Structure(15).u32(0, ctmark).u32(4, ctmask).u32(8, nfmask).u8(14, mode))
}

function connectionTracking(target: Target & { target: 'CT' }): Expression | undefined {
  const { notrack, helper, ctevents = [], zone, zoneOrig, zoneReply } = target
  const given = zone ?? zoneOrig ?? zoneReply
  const flags =
    (notrack === true ? CT_NOTRACK : 0) |
    (zoneOrig === undefined ? 0 : CT_ORIG) |
    (zoneReply === undefined ? 0 : CT_REPLY) |
    (given === 'mark' ? CT_MARK : 0)
  const info = new Structure(72)
    .u16(0, flags)
    .u16(2, typeof given === 'number' ? given : 0)
    .u32(4, bitsOf(ctEvents, ctevents))
  return xtTarget('CT', 2, info.text(12, helper ?? ''))
}

function reject(answer: string | undefined, family: Family): Expression | undefined {
  const usual = family === 'ipv4' ? 'icmp-port-unreachable' : 'icmp6-port-unreachable'
  const number = rejects[family].indexOf(answer ?? usual)
  return number === -1 ? undefined : xtTarget('REJECT', 0, new Structure(4).u32(0, number))
}
