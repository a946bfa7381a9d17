import type { Expression } from '@cni/nftables/wire'
import { parseAddress } from '@cni/types/ip'
import type { Family, Target } from '../rules/model.ts'
import { ctEvents, logLevels } from '../rules/words.ts'
import { forFamily } from '../text/match-args.ts'
import { bitsOf } from './encode-matches.ts'
import { xtTarget } from './expressions.ts'
import { Structure } from './structure.ts'

const end = (verdict: 'accept' | 'drop' | 'return'): Expression =>
  Object.freeze({ name: 'immediate', dreg: 0, data: Object.freeze({ verdict }) })
const verdicts = { ACCEPT: end('accept'), DROP: end('drop'), RETURN: end('return') } as const
const ALL = 0xffffffff

/** What a rule does; nothing for a rule that only counts, `undefined` for what is not modelled. */
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
      const { port, mark, mask = ALL } = target
      const info = new Structure(26).u32(0, mark === undefined ? 0 : mask).u32(4, mark ?? 0)
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
      const level = target.level === undefined ? 4 : logLevel(target.level)
      const info = new Structure(32).u8(0, level).u8(1, bitsOf(logFlags, target.flags ?? []))
      return xtTarget('LOG', 0, info.text(2, target.prefix ?? ''))
    }
    case 'TCPMSS':
      return xtTarget('TCPMSS', 0, new Structure(2).u16(0, target.mss === 'pmtu' ? 0xffff : target.mss))
    case 'NFLOG': {
      const { group = 0, prefix = '', size, threshold } = target
      // A size that is given is another way to cut packets than none.
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

const NFLOG_COPY = 1

const logFlags = ['tcp-sequence', 'tcp-options', 'ip-options', 'uid', '', 'macdecode'] as const

function logLevel(text: string): number {
  return logLevels.includes(text) ? logLevels.indexOf(text) : Number(text)
}

interface Destination {
  readonly addresses?: readonly Uint8Array[]
  readonly ports: readonly number[]
}

/** `address`, `address:port`, `[address]:port`, each also from-to. */
function destination(text: string): Destination | undefined {
  const found = /^(?:\[([^\]]+)\]|([^[\]]*?))(?::(\d+)(?:-(\d+))?)?$/.exec(text)
  const whole = text.split('-').map(parseAddress)
  if (whole.every((each) => each !== undefined)) return { addresses: whole, ports: [] }
  const addresses = (found?.[1] ?? found?.[2] ?? '').split('-').map(parseAddress)
  if (!addresses.every((each) => each !== undefined)) return undefined
  const ports = [found?.[3], found?.[4]].flatMap((port) => (port === undefined ? [] : [Number(port)]))
  return { addresses, ports }
}

const ADDRESSES = 1
const PORTS = 2
const natFlags: Readonly<Record<string, number>> = { random: 4, persistent: 8, 'random-fully': 16 }

function nat(
  name: 'REDIRECT' | 'MASQUERADE' | 'SNAT' | 'DNAT',
  { addresses, ports }: Destination,
  flags: readonly string[] = [],
  family: Family,
): Expression {
  const [from, to = from] = addresses ?? []
  const [first, last = first] = ports
  const bits =
    (from === undefined ? 0 : ADDRESSES) |
    (first === undefined ? 0 : PORTS) |
    flags.reduce((sum, flag) => sum | (natFlags[flag] ?? 0), 0)
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

const CONNMARK_MODES = ['set', 'save', 'restore']

function connmark(target: Target & { target: 'CONNMARK' }): Expression {
  const mode = 'value' in target ? 0 : CONNMARK_MODES.indexOf(target.action)
  const [ctmark, ctmask] =
    'value' in target ? marked(target.action, target.value, target.mask) : [0, target.mask ?? ALL]
  const nfmask = 'value' in target ? ALL : (target.mask ?? ALL)
  return xtTarget('CONNMARK', 2, new Structure(15).u32(0, ctmark).u32(4, ctmask).u32(8, nfmask).u8(14, mode))
}

const CT_NOTRACK = 1
const CT_ORIG = 4
const CT_REPLY = 8
const CT_MARK = 16

function connectionTracking(target: Target & { target: 'CT' }): Expression | undefined {
  const { notrack, helper, ctevents = [], zone, zoneOrig, zoneReply } = target
  const given = zone ?? zoneOrig ?? zoneReply
  const flags =
    (notrack === true ? CT_NOTRACK : 0) |
    (zoneOrig === undefined ? 0 : CT_ORIG) |
    (zoneReply === undefined ? 0 : CT_REPLY) |
    (given === 'mark' ? CT_MARK : 0)
  const events = ctevents.reduce((bits, event) => bits | (1 << ctEvents.indexOf(event)), 0)
  const info = new Structure(72)
    .u16(0, flags)
    .u16(2, typeof given === 'number' ? given : 0)
    .u32(4, events)
  return xtTarget('CT', 2, info.text(12, helper ?? ''))
}

const rejectNumbers: Readonly<Record<Family, Readonly<Record<string, number>>>> = {
  ipv4: {
    ...{
      'icmp-net-unreachable': 0,
      'icmp-host-unreachable': 1,
      'icmp-proto-unreachable': 2,
      'icmp-port-unreachable': 3,
    },
    ...{ 'icmp-net-prohibited': 5, 'icmp-host-prohibited': 6, 'tcp-reset': 7, 'icmp-admin-prohibited': 8 },
  },
  ipv6: {
    ...{ 'icmp6-no-route': 0, 'icmp6-adm-prohibited': 1, 'icmp6-addr-unreachable': 3, 'icmp6-port-unreachable': 4 },
    ...{ 'tcp-reset': 6, 'icmp6-policy-fail': 7, 'icmp6-reject-route': 8 },
  },
}

function reject(answer: string | undefined, family: Family): Expression | undefined {
  const usual = family === 'ipv4' ? 'icmp-port-unreachable' : 'icmp6-port-unreachable'
  const number = rejectNumbers[family][answer ?? usual]
  return number === undefined ? undefined : xtTarget('REJECT', 0, new Structure(4).u32(0, number))
}
