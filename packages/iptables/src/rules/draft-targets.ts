import { invalid } from '../errors.ts'
import { checkAddress } from './address.ts'
import { checkDirs, checkSetName } from './match-values.ts'
import type { AddressPair, Family, Rule, Table, Target } from './model.ts'
import { checkInteger, checkMark, checkPorts } from './numbers.ts'
import { checkRawTarget } from './raw-tokens.ts'
import type { RuleWords } from './rule-words.ts'
import type {
  AddSetOptions,
  CtOptions,
  LogTargetOptions,
  MasqueradeOptions,
  NatOptions,
  NflogOptions,
  SnatOptions,
  TproxyOptions,
} from './target-options.ts'
import { checkCt, checkLog, checkNat, checkNflog, checkReject, natFlags } from './target-values.ts'

/** Location of a rule that is being built: its table and chain. */
export interface RuleLocation {
  readonly table: Table
  readonly chain: string
  readonly position?: number
  /** Names of the ruleset's own chains in the table. */
  readonly own: ReadonlySet<string>
}

/** Target methods of the rule builder. Each method validates its arguments at once. */
export abstract class DraftTargets {
  protected readonly location: RuleLocation
  protected readonly family: Family | undefined

  constructor(location: RuleLocation, family: Family | undefined) {
    this.location = location
    this.family = family
  }

  /** Adds this target to the rule, and so ends the rule. */
  protected abstract end(target: Target): Rule

  jump(chain: string): Rule {
    return this.end({ target: 'jump', chain: this.#own(chain) })
  }

  goto(chain: string): Rule {
    return this.end({ target: 'goto', chain: this.#own(chain) })
  }

  return(): Rule {
    return this.end({ target: 'RETURN' })
  }

  accept(): Rule {
    return this.end({ target: 'ACCEPT' })
  }

  drop(): Rule {
    return this.end({ target: 'DROP' })
  }

  reject(answer?: string | AddressPair): Rule {
    if (answer === undefined) return this.end({ target: 'REJECT' })
    if (answer === 'tcp-reset') return this.end({ target: 'REJECT', with: answer })
    return this.end({ target: 'REJECT', with: this.perFamily(answer, 'reject', checkReject) })
  }

  redirect(port?: number | string, options: NatOptions = {}): Rule {
    const ports = port === undefined ? undefined : { ports: checkPorts(String(port), 'redirect', '-') }
    return this.end({ target: 'REDIRECT', ...ports, ...natFlags({ random: options.random === true }) })
  }

  dnat(to: string | AddressPair, { random, persistent }: NatOptions = {}): Rule {
    const flags = natFlags({ random: random === true, persistent: persistent === true })
    return this.end({ target: 'DNAT', to: this.perFamily(to, 'dnat', checkNat), ...flags })
  }

  snat(to: string | AddressPair, options: SnatOptions = {}): Rule {
    return this.end({ target: 'SNAT', to: this.perFamily(to, 'snat', checkNat), ...natFlags(options) })
  }

  masquerade({ ports, random, randomFully }: MasqueradeOptions = {}): Rule {
    const to = ports === undefined ? undefined : { ports: checkPorts(String(ports), 'masquerade', '-') }
    const flags = natFlags({ random: random === true, randomFully: randomFully === true })
    return this.end({ target: 'MASQUERADE', ...to, ...flags })
  }

  tproxy(options: TproxyOptions): Rule {
    const port = checkInteger(options.port, 1, 65535, 'tproxy port')
    const on = options.on === undefined ? undefined : { on: this.perFamily(options.on, 'tproxy on', checkAddress) }
    if (options.mark === undefined) {
      if (options.mask !== undefined) invalid('tproxy: mask needs mark')
      return this.end({ target: 'TPROXY', port, ...on })
    }
    const { value, ...mask } = marked(options.mark, options.mask, 'tproxy mark')
    return this.end({ target: 'TPROXY', port, ...on, mark: value, ...mask })
  }

  setMss(mss: number): Rule {
    return this.end({ target: 'TCPMSS', mss: checkInteger(mss, 0, this.family === 'ipv4' ? 65_515 : 65_495, 'setMss') })
  }

  clampMssToPmtu(): Rule {
    return this.end({ target: 'TCPMSS', mss: 'pmtu' })
  }

  setMark(value: number, mask?: number): Rule {
    return this.end({ target: 'MARK', ...marked(value, mask, 'setMark') })
  }

  setXmark(value: number, mask?: number): Rule {
    return this.end({ target: 'MARK', action: 'xmark', ...marked(value, mask, 'setXmark') })
  }

  andMark(bits: number): Rule {
    return this.#bits('MARK', 'and', bits)
  }

  orMark(bits: number): Rule {
    return this.#bits('MARK', 'or', bits)
  }

  xorMark(bits: number): Rule {
    return this.#bits('MARK', 'xor', bits)
  }

  setConnmark(value: number, mask?: number): Rule {
    return this.end({ target: 'CONNMARK', action: 'set', ...marked(value, mask, 'setConnmark') })
  }

  setXconnmark(value: number, mask?: number): Rule {
    return this.end({ target: 'CONNMARK', action: 'xmark', ...marked(value, mask, 'setXconnmark') })
  }

  andConnmark(bits: number): Rule {
    return this.#bits('CONNMARK', 'and', bits)
  }

  orConnmark(bits: number): Rule {
    return this.#bits('CONNMARK', 'or', bits)
  }

  xorConnmark(bits: number): Rule {
    return this.#bits('CONNMARK', 'xor', bits)
  }

  saveMark(mask?: number): Rule {
    return this.end({ target: 'CONNMARK', action: 'save', ...masked(mask, 'saveMark') })
  }

  restoreMark(mask?: number): Rule {
    return this.end({ target: 'CONNMARK', action: 'restore', ...masked(mask, 'restoreMark') })
  }

  ctZone(zone: number): Rule {
    return this.end({ target: 'CT', zone: checkInteger(zone, 0, 65535, 'ctZone') })
  }

  ct(options: CtOptions): Rule {
    return this.end(checkCt(options))
  }

  notrack(): Rule {
    return this.end({ target: 'CT', notrack: true })
  }

  log(options: string | LogTargetOptions = {}): Rule {
    return this.end(checkLog(options))
  }

  nflog(options: NflogOptions = {}): Rule {
    return this.end(checkNflog(options))
  }

  addSet(
    name: string | AddressPair,
    dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][],
    options: AddSetOptions = {},
  ): Rule {
    const { exist, timeoutSeconds: seconds } = options
    return this.end({
      ...this.#set('add', name, dirs),
      ...(exist === true ? { exist } : undefined),
      // Limits a timeout in seconds, because ipset stores milliseconds as a signed 32-bit number.
      ...(seconds === undefined
        ? undefined
        : { timeoutSeconds: checkInteger(seconds, 0, 2_147_483, 'addSet timeoutSeconds') }),
    })
  }

  delSet(name: string | AddressPair, dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][]): Rule {
    return this.end(this.#set('del', name, dirs))
  }

  count(): Rule {
    return this.end({ target: 'none' })
  }

  rawTarget(name: string, ...tokens: readonly string[]): Rule {
    checkRawTarget(name, tokens)
    return this.end({ target: 'raw', name, tokens: Object.freeze([...tokens]) })
  }

  protected get where(): string {
    return `${this.location.table} ${this.location.chain}`
  }

  /** Validates an option's value: one value, or a pair for IPv4 and IPv6. */
  protected perFamily(
    value: string | AddressPair,
    what: string,
    check: (text: string, family: Family, what: string) => string,
  ): string | AddressPair {
    if (typeof value === 'string') {
      if (this.family !== undefined) return check(value, this.family, what)
      invalid(
        `${this.where}: ${what}(${JSON.stringify(value)}) in a rule for both families; ` +
          `give { ipv4, ipv6 }, or restrict the rule with .only('ipv4') or .only('ipv6') before it`,
      )
    }
    if (typeof value !== 'object' || value === null) invalid(`${this.where}: ${what} needs a value for each family`)
    return Object.freeze({ ipv4: check(value.ipv4, 'ipv4', what), ipv6: check(value.ipv6, 'ipv6', what) })
  }

  #own(chain: string): string {
    if (this.location.own.has(chain)) return chain
    return invalid(`${this.where}: ${JSON.stringify(chain)} is not declared as a chain of table ${this.location.table}`)
  }

  #bits(
    target: 'MARK' | 'CONNMARK',
    action: NonNullable<Extract<Target, { readonly target: 'MARK' }>['action']>,
    bits: number,
  ): Rule {
    return this.end({ target, action, value: checkMark(bits, `${action}${target === 'MARK' ? 'Mark' : 'Connmark'}`) })
  }

  #set(action: 'add' | 'del', name: string | AddressPair, dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][]) {
    const what = `${action}Set`
    const list = checkDirs(typeof dirs === 'string' ? [dirs] : dirs, what)
    const names = this.perFamily(name, what, (text) => checkSetName(text, what))
    return { target: 'SET', action, name: names, dirs: list } as const
  }
}

/** Validates a packet mark and its optional mask. */
export const marked = (value: number, mask: number | undefined, what: string) => ({
  value: checkMark(value, what),
  ...masked(mask, what),
})

// internal

const masked = (mask: number | undefined, what: string) =>
  mask === undefined ? {} : { mask: checkMark(mask, `${what} mask`) }
