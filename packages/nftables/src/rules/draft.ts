import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { invalid } from '../wire/nft-error.ts'
import type { Placed } from './builder/context.ts'
import { canonicalStatement } from './canonical.ts'
import { complete } from './complete.ts'
import type { Rule } from './model.ts'
import { checkText } from './names.ts'
import { isSelector, selectors } from './selector.ts'
import type { Action, Limit, Log, MarkValue, MatchOp, Nat, Reject, Statement } from './statement.ts'
import type { Range } from './values.ts'

/** Names of the table and the chain for which a rule is built. */
export interface RuleLocation {
  readonly family: 'inet' | 'ip' | 'ip6'
  readonly table: string
  readonly chain: string
}

/** Methods of a rule builder after a condition without a value: `.not(…)` and `.compare(…)`. */
export interface DraftComparison {
  not(value: unknown): Draft
  compare(op: Exclude<MatchOp, '!='>, value: unknown): Draft
}

type Value = readonly unknown[]
type Step = Draft | DraftComparison
type Port = number | Range<number> | undefined

/** Default `burst` of a `limit` statement in nft, in packets. */
const BURST = 5

/** Rule under construction. Implements `RuleBuilder` for every table and chain. */
export class Draft implements Placed {
  readonly #location: RuleLocation
  readonly #statements: readonly Statement[]
  readonly #comment: string | undefined

  constructor(location: RuleLocation, statements: readonly Statement[] = [], comment?: string) {
    this.#location = location
    this.#statements = statements
    this.#comment = comment
  }

  get table(): string {
    return this.#location.table
  }

  get chain(): string {
    return this.#location.chain
  }

  /** Complete rule, including the protocol conditions that nft adds. */
  get rule(): Rule {
    const statements = complete(this.#location.family, Object.freeze(this.#statements), this.#where)
    return Object.freeze(this.#comment === undefined ? { statements } : { statements, comment: this.#comment })
  }

  iifname(...value: Value): Step {
    return this.#match('iifname', value)
  }

  oifname(...value: Value): Step {
    return this.#match('oifname', value)
  }

  nfproto(...value: Value): Step {
    return this.#match('nfproto', value)
  }

  l4proto(...value: Value): Step {
    return this.#match('l4proto', value)
  }

  mark(...value: Value): Step {
    return this.#match('mark', value)
  }

  skuid(...value: Value): Step {
    return this.#match('skuid', value)
  }

  skgid(...value: Value): Step {
    return this.#match('skgid', value)
  }

  pkttype(...value: Value): Step {
    return this.#match('pkttype', value)
  }

  tcp(field: string, ...value: Value): Step {
    return this.#match(`tcp ${field}`, value)
  }

  udp(field: string, ...value: Value): Step {
    return this.#match(`udp ${field}`, value)
  }

  th(field: string, ...value: Value): Step {
    return this.#match(`th ${field}`, value)
  }

  ip(field: string, ...value: Value): Step {
    return this.#match(`ip ${field}`, value)
  }

  ip6(field: string, ...value: Value): Step {
    return this.#match(`ip6 ${field}`, value)
  }

  icmp(field: string, ...value: Value): Step {
    return this.#match(`icmp ${field}`, value)
  }

  icmpv6(field: string, ...value: Value): Step {
    return this.#match(`icmpv6 ${field}`, value)
  }

  ct(field: string, ...value: Value): Step {
    return this.#match(`ct ${field}`, value)
  }

  fib(field: string, ...value: Value): Step {
    return this.#match(`fib ${field} type`, value)
  }

  socket(field: string, ...value: Value): Step {
    return this.#match(`socket ${field}`, value)
  }

  comment(text: string): Draft {
    const comment = checkText(text, 253, `${this.#where}: comment`)
    return new Draft(this.#location, this.#statements, comment)
  }

  counter(): Draft {
    return this.#add({ kind: 'counter' })
  }

  limit({ burst, ...options }: Omit<Limit, 'kind' | 'burst'> & { readonly burst?: number }): Draft {
    return this.#add({ kind: 'limit', ...options, burst: burst ?? (options.of === undefined ? BURST : 0) })
  }

  log(options: Omit<Log, 'kind'> = {}): Draft {
    return this.#add({ kind: 'log', ...options })
  }

  markSet(to: MarkValue | 'ct mark'): Draft {
    return this.#add({ kind: 'mark set', to: markOf(to) })
  }

  ctMarkSet(to: MarkValue | 'mark'): Draft {
    return this.#add({ kind: 'ct mark set', to: markOf(to) })
  }

  ctZoneSet(to: number): Draft {
    return this.#add({ kind: 'ct zone set', to })
  }

  nftraceSet(to: 0 | 1 = 1): Draft {
    return this.#add({ kind: 'nftrace set', to })
  }

  notrack(): Draft {
    return this.#add({ kind: 'notrack' })
  }

  raw(...expressions: readonly Expression[]): Draft {
    return this.#add({ kind: 'raw', expressions })
  }

  accept(): Draft {
    return this.#add({ kind: 'accept' })
  }

  drop(): Draft {
    return this.#add({ kind: 'drop' })
  }

  return(): Draft {
    return this.#add({ kind: 'return' })
  }

  continue(): Draft {
    return this.#add({ kind: 'continue' })
  }

  jump(chain: string): Draft {
    return this.#add({ kind: 'jump', chain })
  }

  goto(chain: string): Draft {
    return this.#add({ kind: 'goto', chain })
  }

  reject(how?: Reject['with'], code?: number): Draft {
    if (how === 'tcp reset') return this.#add({ kind: 'reject', with: how })
    if (how !== undefined) return this.#add({ kind: 'reject', with: how, code: code ?? Number.NaN })
    return this.#add(unreachable[this.#location.family])
  }

  vmap(on: string, map: readonly (readonly [unknown, Verdict])[] | { readonly named: string }): Draft {
    const elements = Array.isArray(map) ? { elements: map.map(([key, verdict]) => ({ key, verdict })) } : map
    // The type cast is safe, because `canonicalStatement` validates the keys with the data type of `on`.
    return this.#add({ kind: 'vmap', on, map: elements } as Statement)
  }

  redirect(port?: Port, options: Pick<Nat, 'flags'> = {}): Draft {
    return this.#add({ kind: 'redirect', ...(port === undefined ? undefined : { port }), ...options })
  }

  masquerade(port?: Port, options: Pick<Nat, 'flags'> = {}): Draft {
    return this.#add({ kind: 'masquerade', ...(port === undefined ? undefined : { port }), ...options })
  }

  snat(family: 'ip' | 'ip6', address: string | Range<string>, port?: Port, options: Pick<Nat, 'flags'> = {}): Draft {
    return this.#nat({ kind: 'snat', family, address, ...(port === undefined ? undefined : { port }), ...options })
  }

  dnat(family: 'ip' | 'ip6', address: string | Range<string>, port?: Port, options: Pick<Nat, 'flags'> = {}): Draft {
    return this.#nat({ kind: 'dnat', family, address, ...(port === undefined ? undefined : { port }), ...options })
  }

  tproxy(family: 'ip' | 'ip6', port: number, address?: string): Draft {
    return this.#nat({ kind: 'tproxy', family, port, ...(address === undefined ? undefined : { address }) })
  }

  // internal

  get #where(): string {
    return `${this.table} ${this.chain}`
  }

  #match(kind: string, given: Value): Step {
    if (!isSelector(kind)) return invalid(`${this.#where}: unknown condition ${JSON.stringify(kind)}`)
    const isBits = selectors[kind].type.flags === true
    const add = (value: unknown, op?: MatchOp) =>
      // The type cast is safe, because `canonicalStatement` validates the value with the data type of `kind`.
      this.#add({ kind, value: operand(value, isBits), ...(op === undefined ? undefined : { op }) } as Statement)
    if (given.length > 0) return add(given[0])
    return { not: (value) => add(value, '!='), compare: (op, value) => add(value, op) }
  }

  #nat(action: Action & { readonly family?: 'ip' | 'ip6' }): Draft {
    const { family } = this.#location
    if (family !== 'inet' && action.family !== family) {
      invalid(`${this.#where}: ${action.kind} of family ${action.family} is not allowed in a table of family ${family}`)
    }
    return this.#add(action)
  }

  #add(statement: Statement): Draft {
    const statements = [...this.#statements, canonicalStatement(statement, this.#where)]
    return new Draft(this.#location, statements, this.#comment)
  }
}

const unreachable: Readonly<Record<RuleLocation['family'], Reject>> = {
  inet: { kind: 'reject', with: 'icmpx', code: 1 },
  ip: { kind: 'reject', with: 'icmp', code: 3 },
  ip6: { kind: 'reject', with: 'icmpv6', code: 4 },
}

const markOf = (to: MarkValue | 'mark' | 'ct mark'): MarkValue => (typeof to === 'string' ? { of: to } : to)

/** Converts the builder's argument to an operand: a list becomes a set. */
function operand(value: unknown, isBits: boolean): unknown {
  if (isBits) return typeof value === 'string' ? [value] : value
  return Array.isArray(value) ? { set: value } : value
}
