import type { Range, SelectorValues } from '../values.ts'
import type { NamesOf, TableParts } from './context.ts'
import type { SetPart } from './parts.ts'

/**
 * Operand that a rule builder accepts for a condition. A list of flags matches any of the flags. Any other list is an
 * anonymous set.
 */
export type Given<S extends keyof SelectorValues, T extends TableParts> =
  | SelectorValues[S]
  | Range<SelectorValues[S]>
  | { readonly value: SelectorValues[S]; readonly mask: SelectorValues[S] }
  | (SelectorValues[S] extends readonly (infer W)[] ? W : readonly (SelectorValues[S] | Range<SelectorValues[S]>)[])
  | { readonly set: readonly (SelectorValues[S] | Range<SelectorValues[S]>)[] }
  | { readonly named: NamesOf<T, SetPart<SetTypeOf<S>, undefined>> }

/** Methods for comparisons other than equality, after a condition without a value. */
export interface Comparison<S extends keyof SelectorValues, T extends TableParts, Next> {
  /** Operator `!=`: matches if the packet's field differs from the given value, or from all values of a list. */
  not<const V extends Given<S, T>>(value: V & Literal<S, V>): Next
  /** Compares the packet's field with the given value by size. */
  compare(op: '<' | '<=' | '>' | '>=', value: SelectorValues[S]): Next
}

/** Key type that a named set needs so that a rule can look up the selector in it. */
export type SetTypeOf<S extends keyof SelectorValues> = S extends 'iifname' | 'oifname'
  ? 'ifname'
  : S extends 'l4proto' | 'ip protocol' | 'ip6 nexthdr'
    ? 'inet_proto'
    : S extends 'mark' | 'ct mark' | 'socket mark'
      ? 'mark'
      : S extends 'skuid'
        ? 'uid'
        : S extends 'skgid'
          ? 'gid'
          : S extends 'ip saddr' | 'ip daddr'
            ? 'ipv4_addr'
            : S extends 'ip6 saddr' | 'ip6 daddr'
              ? 'ipv6_addr'
              : S extends `${'tcp' | 'udp' | 'th'} ${'sport' | 'dport'}`
                ? 'inet_service'
                : never

/** Type of the value that a condition compares with. An address literal of the wrong family does not compile. */
export type Literal<S extends keyof SelectorValues, V> = S extends `${'ip' | 'ip6'} ${'saddr' | 'daddr'}`
  ? V extends string
    ? V extends `${string}:${string}`
      ? S extends `ip ${string}`
        ? never
        : V
      : string extends V
        ? V
        : S extends `ip ${string}`
          ? V
          : never
    : V extends { readonly named: string }
      ? V
      : { readonly [K in keyof V]: Literal<S, V[K]> }
  : V
