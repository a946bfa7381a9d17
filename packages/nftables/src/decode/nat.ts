import { natFlags } from '../rules/actions.ts'
import { dataTypes } from '../rules/data-type.ts'
import type { NatFlag, Statement } from '../rules/statement.ts'
import type { Range } from '../rules/values.ts'
import type { Expression, Expressions } from '../wire/expressions/expression-types.ts'
import { valueIn } from './keys.ts'
import { type Read, type Reader, read } from './reading.ts'

/** Decodes a NAT statement with the expressions that load its registers. */
export const readNat: Reader = ({ expressions }, at) => {
  const loaded: Uint8Array[] = []
  for (;;) {
    const expression = expressions[at + loaded.length]
    if (expression === undefined) return undefined
    if (expression.name !== 'immediate') return translated(expression, loaded)
    // Decodes nothing if registers are loaded in another order, because nft always loads them in order.
    if (expression.dreg !== loaded.length + 1 || !(expression.data instanceof Uint8Array)) return undefined
    loaded.push(expression.data)
  }
}

function translated(expression: Expression, loaded: readonly Uint8Array[]): Read | undefined {
  const registers = new Registers(loaded)
  const statement = statementOf(expression, registers)
  // The NAT expression has to use all loaded values. Otherwise the expressions are not decoded and stay `raw`.
  return statement !== undefined && registers.areUsed ? read(loaded.length + 1, statement) : undefined
}

function statementOf(expression: Expression, registers: Registers): Statement | undefined {
  switch (expression.name) {
    case 'nat':
      return nat(expression, registers)
    case 'redir':
    case 'masq':
      return redirect(expression, registers)
    case 'tproxy':
      return tproxy(expression, registers)
    default:
      return undefined
  }
}

const IPV4 = 4
const IPV6 = 16
const PORT = 2

function nat(expression: Expressions['nat'], registers: Registers): Statement | undefined {
  const { type, family, regAddrMin, regAddrMax, regProtoMin, regProtoMax, flags = 0 } = expression
  if (family !== 'ip' && family !== 'ip6') return undefined
  const address = registers.span(regAddrMin, regAddrMax, family === 'ip' ? IPV4 : IPV6)
  const port = registers.span(regProtoMin, regProtoMax, PORT)
  const kind = flagsOf(flags, (address === NONE ? 0 : ADDRESSES) | (port === NONE ? 0 : PORTS))
  if (address === undefined || port === undefined || kind === undefined || (address === NONE && port === NONE)) {
    return undefined
  }
  return {
    ...{ kind: type, family },
    ...(address === NONE ? {} : { address: spanned(address, String) }),
    ...(port === NONE ? {} : { port: spanned(port, Number) }),
    ...kind,
  }
}

function redirect(expression: Expressions['redir'] | Expressions['masq'], registers: Registers): Statement | undefined {
  const { name, regProtoMin, regProtoMax, flags = 0 } = expression
  const port = registers.span(regProtoMin, regProtoMax, PORT)
  const kind = flagsOf(flags, port === NONE ? 0 : PORTS)
  if (port === undefined || kind === undefined) return undefined
  return {
    kind: name === 'redir' ? 'redirect' : 'masquerade',
    ...(port === NONE ? {} : { port: spanned(port, Number) }),
    ...kind,
  }
}

function tproxy({ family, regAddr, regPort }: Expressions['tproxy'], registers: Registers): Statement | undefined {
  if (family === 'inet' || (family === 'unspec' && regAddr !== undefined)) return undefined
  const address = registers.span(regAddr, undefined, family === 'ip6' ? IPV6 : IPV4)
  const port = registers.span(regPort, undefined, PORT)
  if (address === undefined || port === undefined || (address === NONE && port === NONE)) return undefined
  return {
    kind: 'tproxy',
    ...(family === 'unspec' ? {} : { family }),
    ...(address === NONE ? {} : { address: String(address.from) }),
    ...(port === NONE ? {} : { port: Number(port.from) }),
  }
}

const NONE = { from: '', to: '' }

function spanned<T>({ from, to }: Range<string | number>, of: (value: string | number) => T): T | Range<T> {
  return from === to ? of(from) : { from: of(from), to: of(to) }
}

/** Loaded values of a NAT statement, which must use each value once and in order. */
class Registers {
  readonly #loaded: readonly Uint8Array[]
  #used = 0

  constructor(loaded: readonly Uint8Array[]) {
    this.#loaded = loaded
  }

  get areUsed(): boolean {
    return this.#used === this.#loaded.length
  }

  /** Reads a NAT range from registers. For a single value, both registers are equal. */
  span(min: number | undefined, max: number | undefined, length: number): Range<string | number> | undefined {
    if (min === undefined) return max === undefined ? NONE : undefined
    const from = this.#take(min, length)
    const to = max === undefined || max === min ? from : this.#take(max, length)
    return from === undefined || to === undefined ? undefined : { from, to }
  }

  #take(register: number, length: number): string | number | undefined {
    const bytes = this.#loaded[this.#used++]
    if (bytes?.length !== length || register !== this.#used) return undefined
    const type = length === PORT ? 'inet_service' : length === IPV4 ? 'ipv4_addr' : 'ipv6_addr'
    const value = valueIn(dataTypes[type], bytes)
    return typeof value === 'string' || typeof value === 'number' ? value : undefined
  }
}

const ADDRESSES = 1
const PORTS = 2

/** Names of a rule's NAT flags. Bits in `given` mark only the presence of addresses or ports. */
function flagsOf(flags: number, given: number): { flags?: readonly NatFlag[] } | undefined {
  const list = natFlags.filter(([, bit]) => (flags & bit) !== 0)
  const known = list.reduce((sum, [, bit]) => sum | bit, given)
  // Adds the bits in `given` to both sides of the comparison, because only some kernels report these bits.
  if ((flags | given) !== known) return undefined
  return list.length === 0 ? {} : { flags: list.map(([word]) => word) }
}
