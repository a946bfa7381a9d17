import type { BaseChain } from '../../wire/specs.ts'
import type { NamedSet } from '../model.ts'
import type { SetType } from '../values.ts'

/** Declaration of a base chain: a chain that is attached to a hook. */
export interface BasePart<
  Type extends BaseChain['type'] = BaseChain['type'],
  H extends BaseChain['hook'] = BaseChain['hook'],
> {
  readonly part: 'base'
  readonly base: BaseChain & { readonly type: Type; readonly hook: H }
  readonly policy: 'accept' | 'drop'
}

/** Declaration of a named set, or of a map if it has `data`. */
export interface SetPart<
  Key extends SetType | readonly SetType[] = SetType | readonly SetType[],
  Data extends SetType | 'verdict' | undefined = SetType | 'verdict' | undefined,
> {
  readonly part: 'set'
  readonly key: Key
  readonly data: Data
  readonly options: Omit<NamedSet, 'name' | 'key' | 'data'>
}

/**
 * Declares a base chain of a table: type, hook, priority and policy. The policy defaults to `accept`.
 *
 * @example
 * const output = base('nat', 'output', -100)
 */
export function base<const Type extends BaseChain['type'], const H extends BaseChain['hook']>(
  type: Type,
  hook: H,
  priority: number,
  options: { readonly policy?: 'accept' | 'drop' } = {},
): BasePart<Type, H> {
  return { part: 'base', base: { type, hook, priority }, policy: options.policy ?? 'accept' }
}

/** Declares a chain of a table. Packets enter the chain by jumps only. */
export const chain: { readonly part: 'chain' } = Object.freeze({ part: 'chain' })

/**
 * Declares a named set of a table. Other programs own the content of a set without `elements`.
 *
 * @example
 * const pods = set('ipv4_addr', { interval: true, elements: [{ key: '10.0.0.0/8' }] })
 */
export function set<const Key extends SetType | readonly SetType[]>(
  key: Key,
  options: Omit<NamedSet, 'name' | 'key' | 'data'> = {},
): SetPart<Key, undefined> {
  return { part: 'set', key, data: undefined, options }
}

/**
 * Declares a named map of a table: keys with values, or keys with verdicts.
 *
 * @example
 * const ports = map('inet_service', 'verdict', { elements: [{ key: 80, data: { verdict: 'accept' } }] })
 */
export function map<const Key extends SetType | readonly SetType[], const Data extends SetType | 'verdict'>(
  key: Key,
  data: Data,
  options: Omit<NamedSet, 'name' | 'key' | 'data'> = {},
): SetPart<Key, Data> {
  return { part: 'set', key, data, options }
}
