import { parseAddress } from '@cni/types/ip'
import { canonicalAction, limitUnits, logFlags, natFlags } from '../rules/actions.ts'
import { bigEndian } from '../rules/data-type.ts'
import type { Action, Limit, Log, MarkValue, Nat, NatFlag, Redirect, Reject, Tproxy } from '../rules/statement.ts'
import type { Range } from '../rules/values.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import { expression, type Sink } from './encoded.ts'

const counter = expression({ name: 'counter' })
const notrack = expression({ name: 'notrack' })
const loads = {
  mark: expression({ name: 'meta', key: 'mark', dreg: 1 }),
  'ct mark': expression({ name: 'ct', dreg: 1, key: 'mark' }),
}
const stores = {
  'mark set': expression({ name: 'meta', key: 'mark', sreg: 1 }),
  'ct mark set': expression({ name: 'ct', sreg: 1, key: 'mark' }),
  'ct zone set': expression({ name: 'ct', sreg: 1, key: 'zone' }),
  'nftrace set': expression({ name: 'meta', key: 'nftrace', sreg: 1 }),
}
const verdict = (word: 'accept' | 'drop' | 'return' | 'continue') =>
  expression({ name: 'immediate', dreg: 0, data: Object.freeze({ verdict: word }) })
const verdicts = {
  ...{ accept: verdict('accept'), drop: verdict('drop') },
  ...{ return: verdict('return'), continue: verdict('continue') },
}

/** Default log level of the kernel. nft sends the level with every rule that logs to the kernel's log. */
const WARNING = 4
const WITH_ADDRESS = 1
const WITH_PORT = 2

/** Encodes an action of a rule. Throws `NftError('INVALID')`. */
export function encodeAction(given: Action, { expressions }: Sink): void {
  const action = canonicalAction(given, 'a rule')
  switch (action.kind) {
    case 'counter': {
      const { packets, bytes } = action
      const counts = { ...(packets === undefined ? {} : { packets }), ...(bytes === undefined ? {} : { bytes }) }
      expressions.push(packets === undefined && bytes === undefined ? counter : { name: 'counter', ...counts })
      break
    }
    case 'mark set':
    case 'ct mark set':
      expressions.push(...markExpressions(action.to), stores[action.kind])
      break
    case 'ct zone set':
      expressions.push(immediate(littleEndian(action.to, 2)), stores['ct zone set'])
      break
    case 'nftrace set':
      expressions.push(immediate(Uint8Array.of(action.to)), stores['nftrace set'])
      break
    case 'notrack':
      expressions.push(notrack)
      break
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      expressions.push(verdicts[action.kind])
      break
    case 'jump':
    case 'goto':
      expressions.push({ name: 'immediate', dreg: 0, data: { verdict: action.kind, chain: action.chain } })
      break
    case 'limit':
      expressions.push(limit(action))
      break
    case 'log':
      expressions.push(log(action))
      break
    case 'reject':
      expressions.push(reject(action))
      break
    case 'tproxy':
      expressions.push(...tproxy(action))
      break
    default:
      expressions.push(...translation(action))
  }
}

// internal

function markExpressions(to: MarkValue): Expression[] {
  if (typeof to === 'number') return [immediate(littleEndian(to, 4))]
  const { of, and = 0xffff_ffff, xor = 0 } = to
  if (to.and === undefined && to.xor === undefined) return [loads[of]]
  const bits = { mask: littleEndian(and, 4), xor: littleEndian(xor, 4) }
  return [loads[of], { name: 'bitwise', sreg: 1, dreg: 1, len: 4, ...bits }]
}

function limit({ rate, per, burst, of, over }: Limit): Expression {
  return {
    ...{ name: 'limit', rate: BigInt(rate), unit: BigInt(limitUnits[per]), burst },
    ...(of === undefined ? undefined : { type: of }),
    ...(over === undefined ? undefined : { flags: 1 }),
  }
}

function log({ prefix, level, flags, group, snaplen, threshold }: Log): Expression {
  return {
    name: 'log',
    ...(prefix === undefined ? undefined : { prefix }),
    ...(group === undefined ? { level: level ?? WARNING } : { group }),
    ...(flags === undefined ? undefined : { flags: bitsOf(flags, logFlags) }),
    ...(snaplen === undefined ? undefined : { snaplen }),
    ...(threshold === undefined ? undefined : { qthreshold: threshold }),
  }
}

function reject(action: Reject): Expression {
  if (action.with === 'tcp reset') return { name: 'reject', type: 'tcp-reset' }
  return { name: 'reject', type: action.with === 'icmpx' ? 'icmpx' : 'icmp', code: action.code }
}

function tproxy({ family, address, port }: Tproxy): Expression[] {
  const loaded = new Registers()
  const registers = {
    ...(address === undefined ? undefined : { regAddr: loaded.add(addressBytes(address)) }),
    ...(port === undefined ? undefined : { regPort: loaded.add(bigEndian(port, 2)) }),
  }
  return [...loaded.expressions, { name: 'tproxy', family: family ?? 'unspec', ...registers }]
}

function translation(action: Nat | Redirect): Expression[] {
  const loaded = new Registers()
  const { kind, port } = action
  const address = 'family' in action ? action.address : undefined
  const [addrMin, addrMax] = address === undefined ? [] : loaded.range(address, addressBytes)
  const [protoMin, protoMax] = port === undefined ? [] : loaded.range(port, (each) => bigEndian(each, 2))
  const sum = bitsOf(action.flags, natFlags) | (address ? WITH_ADDRESS : 0) | (port === undefined ? 0 : WITH_PORT)
  const options = {
    ...(protoMin === undefined ? undefined : { regProtoMin: protoMin }),
    ...(protoMax === undefined ? undefined : { regProtoMax: protoMax }),
    ...(sum === 0 ? undefined : { flags: sum }),
  }
  if (!('family' in action))
    return [...loaded.expressions, { name: kind === 'redirect' ? 'redir' : 'masq', ...options }]
  const addresses = {
    ...(addrMin === undefined ? undefined : { regAddrMin: addrMin }),
    ...(addrMax === undefined ? undefined : { regAddrMax: addrMax }),
  }
  return [...loaded.expressions, { name: 'nat', type: action.kind, family: action.family, ...addresses, ...options }]
}

/** Encodes expressions that load values into registers, beginning with register 1. */
class Registers {
  readonly expressions: Expression[] = []

  add(data: Uint8Array): number {
    const dreg = this.expressions.length + 1
    this.expressions.push({ name: 'immediate', dreg, data })
    return dreg
  }

  /** Registers with the first and the last value of a NAT range. */
  range<T extends string | number>(value: T | Range<T>, bytes: (value: T) => Uint8Array): [number, number] {
    if (typeof value === 'object') return [this.add(bytes(value.from)), this.add(bytes(value.to))]
    const register = this.add(bytes(value))
    return [register, register]
  }
}

const immediate = (data: Uint8Array): Expression => ({ name: 'immediate', dreg: 1, data })

// Converts an address to bytes. The fallback is never used, because `canonicalAction` has validated the address.
const addressBytes = (address: string): Uint8Array => parseAddress(address) ?? new Uint8Array(4)

const littleEndian = (value: number, length: number): Uint8Array => bigEndian(value, length).reverse()

function bitsOf<W extends NatFlag | string>(
  list: readonly W[] | undefined,
  known: readonly (readonly [W, number])[],
): number {
  return known.reduce((sum, [word, bit]) => (list?.includes(word) ? sum | bit : sum), 0)
}
