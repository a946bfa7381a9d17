import type { Packet } from '@cni/types/packet'
import { invalid } from '../errors.ts'
import { checkNetwork } from './address.ts'
import { DraftTargets, marked, type RuleLocation } from './draft-targets.ts'
import { checkIcmpType } from './icmp-types.ts'
import type { SocketOptions, Statistic } from './match-options.ts'
import {
  checkDirs,
  checkLimit,
  checkMac,
  checkPktType,
  checkRange,
  checkSetName,
  checkSocket,
  checkStatistic,
  checkTcpFlags,
} from './match-values.ts'
import type { AddressPair, Family, Match, Rule, Target } from './model.ts'
import { checkInterface, checkOwner, checkText } from './names.ts'
import { checkInteger, checkPortList, checkPorts } from './numbers.ts'
import { checkRawMatch } from './raw-tokens.ts'
import { checkRule } from './rule-checks.ts'
import type { RuleWords } from './rule-words.ts'
import { addrTypes, checkWords, ctStates, plainStates, protocols } from './words.ts'

/** Immutable rule builder that implements every `RuleBuilder<…>`, with wider parameter types. */
export class Draft extends DraftTargets {
  readonly #matches: readonly Match[]
  readonly #not: boolean

  constructor(location: RuleLocation, matches: readonly Match[] = [], family?: Family, not = false) {
    super(location, family)
    this.#matches = matches
    this.#not = not
  }

  get not(): Draft {
    if (this.#not) invalid(`${this.where}: .not is given twice before one condition`)
    return new Draft(this.location, this.#matches, this.family, true)
  }

  only(family: Family): Draft {
    if (family !== 'ipv4' && family !== 'ipv6')
      invalid(`${this.where}: only(${JSON.stringify(family)}) is not a family; expected 'ipv4' or 'ipv6'`)
    if (this.family !== undefined && this.family !== family) invalid(`${this.where}: only() names both families`)
    this.#positive('only()')
    return new Draft(this.location, this.#matches, family)
  }

  proto(protocol: RuleWords['protocol']): Draft {
    const text = String(protocol)
    const ok = typeof protocol === 'number' ? checkInteger(protocol, 1, 255, 'proto') > 0 : protocols.has(text)
    if (!ok) invalid(`${this.where}: proto ${JSON.stringify(protocol)} is not a known protocol name; give its number`)
    return this.#add({ match: 'proto', protocol: text })
  }

  src(address: string | AddressPair): Draft {
    return this.#add({ match: 'src', address: this.perFamily(address, 'src', checkNetwork) })
  }

  dst(address: string | AddressPair): Draft {
    return this.#add({ match: 'dst', address: this.perFamily(address, 'dst', checkNetwork) })
  }

  in(name: string): Draft {
    return this.#add({ match: 'in', name: checkInterface(name, 'in') })
  }

  out(name: string): Draft {
    return this.#add({ match: 'out', name: checkInterface(name, 'out') })
  }

  sport(ports: RuleWords['ports']): Draft {
    return this.#add({ match: 'sport', ports: checkPorts(ports, 'sport') })
  }

  dport(ports: RuleWords['ports']): Draft {
    return this.#add({ match: 'dport', ports: checkPorts(ports, 'dport') })
  }

  sports(...ports: readonly RuleWords['ports'][]): Draft {
    return this.#add({ match: 'sports', ports: checkPortList(ports, 'sports') })
  }

  dports(...ports: readonly RuleWords['ports'][]): Draft {
    return this.#add({ match: 'dports', ports: checkPortList(ports, 'dports') })
  }

  uid(owner: number | string): Draft {
    return this.#add({ match: 'uid', owner: checkOwner(owner, 'uid') })
  }

  gid(owner: number | string): Draft {
    return this.#add({ match: 'gid', owner: checkOwner(owner, 'gid') })
  }

  socketExists(): Draft {
    return this.#add({ match: 'socketExists' })
  }

  ctstate(...states: readonly RuleWords['ctState'][]): Draft {
    return this.#add({ match: 'ctstate', states: checkWords(states, ctStates, 'ctstate') })
  }

  mark(value: number, mask?: number): Draft {
    return this.#add({ match: 'mark', ...marked(value, mask, 'mark') })
  }

  connmark(value: number, mask?: number): Draft {
    return this.#add({ match: 'connmark', ...marked(value, mask, 'connmark') })
  }

  srcType(...types: readonly RuleWords['addrType'][]): Draft {
    return this.#add({ match: 'srcType', types: checkWords(types, addrTypes, 'srcType') })
  }

  dstType(...types: readonly RuleWords['addrType'][]): Draft {
    return this.#add({ match: 'dstType', types: checkWords(types, addrTypes, 'dstType') })
  }

  icmpType(type: number | string): Draft {
    return this.#add({ match: 'icmpType', type: checkIcmpType(type, 'ipv4', 'icmpType') })
  }

  icmpv6Type(type: number | string): Draft {
    return this.#add({ match: 'icmpv6Type', type: checkIcmpType(type, 'ipv6', 'icmpv6Type') })
  }

  tcpFlags(
    mask: NonNullable<Packet['tcpFlags']> | 'ALL',
    set: NonNullable<Packet['tcpFlags']> | 'ALL' | 'NONE',
  ): Draft {
    return this.#add(checkTcpFlags(mask, set))
  }

  syn(): Draft {
    return this.#add({ match: 'syn' })
  }

  state(...states: readonly RuleWords['ctState'][]): Draft {
    return this.#add({ match: 'state', states: checkWords(states, plainStates, 'state') })
  }

  set(name: string | AddressPair, ...dirs: readonly RuleWords['setDir'][]): Draft {
    const names = this.perFamily(name, 'set', (text) => checkSetName(text, 'set'))
    return this.#add({ match: 'set', name: names, dirs: checkDirs(dirs, 'set') })
  }

  srcRange(range: string | AddressPair): Draft {
    return this.#add({ match: 'srcRange', range: this.perFamily(range, 'srcRange', checkRange) })
  }

  dstRange(range: string | AddressPair): Draft {
    return this.#add({ match: 'dstRange', range: this.perFamily(range, 'dstRange', checkRange) })
  }

  mac(address: string): Draft {
    return this.#add({ match: 'mac', address: checkMac(address) })
  }

  pktType(type: NonNullable<Packet['packetType']>): Draft {
    return this.#add({ match: 'pktType', type: checkPktType(type) })
  }

  statistic(options: Statistic): Draft {
    return this.#add(checkStatistic(options))
  }

  socket(options: SocketOptions = {}): Draft {
    this.#positive('socket()')
    return this.#add({ match: 'socket', flags: checkSocket(options) })
  }

  limit(rate: string, burst?: number): Draft {
    this.#positive('limit()')
    return this.#add(checkLimit(rate, burst))
  }

  comment(text: string): Draft {
    this.#positive('comment()')
    return this.#add({ match: 'comment', text: checkText(text, 255, 'comment') })
  }

  raw(...tokens: readonly string[]): Draft {
    this.#positive('raw()')
    return this.#add({ match: 'raw', tokens: Object.freeze([...checkRawMatch(tokens)]) })
  }

  protected end(target: Target): Rule {
    this.#positive('a target')
    const { table, chain, position } = this.location
    const rule: Rule = Object.freeze({
      table,
      chain,
      ...(this.family === undefined ? undefined : { family: this.family }),
      ...(position === undefined ? undefined : { position }),
      matches: Object.freeze(this.#matches),
      target: Object.freeze(target),
    })
    checkRule(rule)
    return rule
  }

  #add(match: Match): Draft {
    const done = Object.freeze(this.#not ? { ...match, not: true as const } : match)
    const matches = this.#matches.slice()
    matches.push(done)
    return new Draft(this.location, matches, this.family)
  }

  #positive(what: string): void {
    if (this.#not) invalid(`${this.where}: .not must stand directly before a condition, not before ${what}`)
  }
}
