import { invalid } from '../errors.ts'
import { checkNetwork } from './address.ts'
import type { Owner, Ports, Protocol } from './builder-types.ts'
import type { AddressPair, AddrType, CtState, Family, Match, Rule, Table, Target } from './model.ts'
import { checkInterface, checkOwner, checkText } from './names.ts'
import { checkNat } from './nat-address.ts'
import { checkInteger, checkMark, checkPortList, checkPorts } from './numbers.ts'
import { checkRawMatch, checkRawTarget } from './raw-tokens.ts'
import { checkRule } from './rule-checks.ts'
import { addrTypes, checkWords, ctStates, protocols } from './words.ts'

/** Where a rule goes and what may be said there. */
export interface DraftPlace {
  readonly table: Table
  readonly chain: string
  readonly position?: number
  /** Own chains of the table. */
  readonly own: ReadonlySet<string>
}

/**
 * The builder behind every `RuleBuilder<…>`: wider parameter types than any of them, every value checked when given,
 * the whole rule checked when its target ends it. Immutable: each step is a new draft.
 */
export class Draft {
  readonly #place: DraftPlace
  readonly #matches: readonly Match[]
  readonly #family: Family | undefined
  readonly #not: boolean

  constructor(place: DraftPlace, matches: readonly Match[] = [], family?: Family, not = false) {
    this.#place = place
    this.#matches = matches
    this.#family = family
    this.#not = not
  }

  get not(): Draft {
    if (this.#not) invalid(`${this.#where}: .not stands twice before one condition`)
    return new Draft(this.#place, this.#matches, this.#family, true)
  }

  only(family: Family): Draft {
    if (family !== 'ipv4' && family !== 'ipv6') invalid(`${this.#where}: only(${JSON.stringify(family)}) is no family`)
    if (this.#family !== undefined && this.#family !== family) invalid(`${this.#where}: only() names both families`)
    this.#positive('only()')
    return new Draft(this.#place, this.#matches, family)
  }

  proto(protocol: Protocol): Draft {
    const text = String(protocol)
    const ok = typeof protocol === 'number' ? checkInteger(protocol, 1, 255, 'proto') > 0 : protocols.has(text)
    if (!ok)
      invalid(`${this.#where}: proto ${JSON.stringify(protocol)} is not a protocol name we know; give its number`)
    return this.#add({ match: 'proto', protocol: text })
  }

  src(address: string | AddressPair): Draft {
    return this.#add({ match: 'src', address: this.#address(address, 'src', checkNetwork) })
  }

  dst(address: string | AddressPair): Draft {
    return this.#add({ match: 'dst', address: this.#address(address, 'dst', checkNetwork) })
  }

  in(name: string): Draft {
    return this.#add({ match: 'in', name: checkInterface(name, 'in') })
  }

  out(name: string): Draft {
    return this.#add({ match: 'out', name: checkInterface(name, 'out') })
  }

  sport(ports: Ports): Draft {
    return this.#add({ match: 'sport', ports: checkPorts(ports, 'sport') })
  }

  dport(ports: Ports): Draft {
    return this.#add({ match: 'dport', ports: checkPorts(ports, 'dport') })
  }

  sports(...ports: readonly Ports[]): Draft {
    return this.#add({ match: 'sports', ports: checkPortList(ports, 'sports') })
  }

  dports(...ports: readonly Ports[]): Draft {
    return this.#add({ match: 'dports', ports: checkPortList(ports, 'dports') })
  }

  uid(owner: Owner): Draft {
    return this.#add({ match: 'uid', owner: checkOwner(owner, 'uid') })
  }

  gid(owner: Owner): Draft {
    return this.#add({ match: 'gid', owner: checkOwner(owner, 'gid') })
  }

  socketExists(): Draft {
    return this.#add({ match: 'socketExists' })
  }

  ctstate(...states: readonly CtState[]): Draft {
    return this.#add({ match: 'ctstate', states: checkWords(states, ctStates, 'ctstate') })
  }

  mark(value: number, mask?: number): Draft {
    return this.#add({ match: 'mark', ...marked(value, mask, 'mark') })
  }

  connmark(value: number, mask?: number): Draft {
    return this.#add({ match: 'connmark', ...marked(value, mask, 'connmark') })
  }

  srcType(...types: readonly AddrType[]): Draft {
    return this.#add({ match: 'srcType', types: checkWords(types, addrTypes, 'srcType') })
  }

  dstType(...types: readonly AddrType[]): Draft {
    return this.#add({ match: 'dstType', types: checkWords(types, addrTypes, 'dstType') })
  }

  comment(text: string): Draft {
    this.#positive('comment()')
    return this.#add({ match: 'comment', text: checkText(text, 255, 'comment') })
  }

  raw(...tokens: readonly string[]): Draft {
    this.#positive('raw()')
    return this.#add({ match: 'raw', tokens: Object.freeze([...checkRawMatch(tokens)]) })
  }

  jump(chain: string): Rule {
    return this.#end({ target: 'jump', chain: this.#own(chain) })
  }

  goto(chain: string): Rule {
    return this.#end({ target: 'goto', chain: this.#own(chain) })
  }

  return(): Rule {
    return this.#end({ target: 'RETURN' })
  }

  accept(): Rule {
    return this.#end({ target: 'ACCEPT' })
  }

  drop(): Rule {
    return this.#end({ target: 'DROP' })
  }

  reject(answer?: 'tcp-reset'): Rule {
    if (answer !== undefined && answer !== 'tcp-reset') invalid(`reject: ${JSON.stringify(answer)} is not 'tcp-reset'`)
    return this.#end(answer === undefined ? { target: 'REJECT' } : { target: 'REJECT', with: answer })
  }

  redirect(port?: number | string): Rule {
    if (port === undefined) return this.#end({ target: 'REDIRECT' })
    return this.#end({ target: 'REDIRECT', ports: checkPorts(String(port), 'redirect', '-') })
  }

  dnat(to: string | AddressPair): Rule {
    return this.#end({ target: 'DNAT', to: this.#address(to, 'dnat', checkNat) })
  }

  snat(to: string | AddressPair): Rule {
    return this.#end({ target: 'SNAT', to: this.#address(to, 'snat', checkNat) })
  }

  masquerade(): Rule {
    return this.#end({ target: 'MASQUERADE' })
  }

  tproxy(options: { readonly port: number; readonly mark?: number; readonly mask?: number }): Rule {
    const port = checkInteger(options.port, 1, 65535, 'tproxy port')
    if (options.mark === undefined) {
      if (options.mask !== undefined) invalid('tproxy: mask without mark')
      return this.#end({ target: 'TPROXY', port })
    }
    const { value, ...mask } = marked(options.mark, options.mask, 'tproxy mark')
    return this.#end({ target: 'TPROXY', port, mark: value, ...mask })
  }

  setMark(value: number, mask?: number): Rule {
    return this.#end({ target: 'MARK', ...marked(value, mask, 'setMark') })
  }

  setConnmark(value: number, mask?: number): Rule {
    return this.#end({ target: 'CONNMARK', action: 'set', ...marked(value, mask, 'setConnmark') })
  }

  saveMark(mask?: number): Rule {
    return this.#end({ target: 'CONNMARK', action: 'save', ...masked(mask, 'saveMark') })
  }

  restoreMark(mask?: number): Rule {
    return this.#end({ target: 'CONNMARK', action: 'restore', ...masked(mask, 'restoreMark') })
  }

  ctZone(zone: number): Rule {
    return this.#end({ target: 'CT', zone: checkInteger(zone, 0, 65535, 'ctZone') })
  }

  notrack(): Rule {
    return this.#end({ target: 'CT', notrack: true })
  }

  log(prefix?: string): Rule {
    if (prefix === undefined) return this.#end({ target: 'LOG' })
    if (prefix === '') invalid(`${this.#where}: an empty log prefix is not possible; leave it out`)
    return this.#end({ target: 'LOG', prefix: checkText(prefix, 29, 'log prefix') })
  }

  count(): Rule {
    return this.#end({ target: 'none' })
  }

  rawTarget(name: string, ...tokens: readonly string[]): Rule {
    checkRawTarget(name, tokens)
    return this.#end({ target: 'raw', name, tokens: Object.freeze([...tokens]) })
  }

  get #where(): string {
    return `${this.#place.table} ${this.#place.chain}`
  }

  #add(match: Match): Draft {
    const done = Object.freeze(this.#not ? { ...match, not: true as const } : match)
    const matches = this.#matches.slice()
    matches.push(done)
    return new Draft(this.#place, matches, this.#family)
  }

  #end(target: Target): Rule {
    this.#positive('a target')
    const { table, chain, position } = this.#place
    const rule: Rule = Object.freeze({
      table,
      chain,
      ...(this.#family === undefined ? undefined : { family: this.#family }),
      ...(position === undefined ? undefined : { position }),
      matches: Object.freeze(this.#matches),
      target: Object.freeze(target),
    })
    checkRule(rule)
    return rule
  }

  #own(chain: string): string {
    if (this.#place.own.has(chain)) return chain
    return invalid(`${this.#where}: ${JSON.stringify(chain)} is not declared as a chain of table ${this.#place.table}`)
  }

  #positive(what: string): void {
    if (this.#not) invalid(`${this.#where}: .not must stand directly before a condition, not before ${what}`)
  }

  #address(
    value: string | AddressPair,
    what: string,
    check: (text: string, family: Family, what: string) => string,
  ): string | AddressPair {
    if (typeof value === 'string') {
      if (this.#family !== undefined) return check(value, this.#family, what)
      invalid(
        `${this.#where}: ${what}(${JSON.stringify(value)}) in a rule for both families; ` +
          `give { ipv4, ipv6 }, or restrict the rule with .only('ipv4') or .only('ipv6') before it`,
      )
    }
    if (typeof value !== 'object' || value === null) invalid(`${this.#where}: ${what} needs an address`)
    return Object.freeze({ ipv4: check(value.ipv4, 'ipv4', what), ipv6: check(value.ipv6, 'ipv6', what) })
  }
}

// internal

const marked = (value: number, mask: number | undefined, what: string) => ({
  value: checkMark(value, what),
  ...masked(mask, what),
})

const masked = (mask: number | undefined, what: string) =>
  mask === undefined ? {} : { mask: checkMark(mask, `${what} mask`) }
