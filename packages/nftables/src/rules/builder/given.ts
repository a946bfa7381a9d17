import type { Range, SelectorValues } from '../values.ts'
import type { NamesOf, TableParts } from './context.ts'
import type { SetPart } from './parts.ts'

/** What something is compared with; a list is an anonymous set, of words that are bits it is any of them. */
export type Given<S extends keyof SelectorValues, T extends TableParts> =
  | SelectorValues[S]
  | Range<SelectorValues[S]>
  | { readonly value: SelectorValues[S]; readonly mask: SelectorValues[S] }
  | (SelectorValues[S] extends readonly (infer W)[] ? W : readonly (SelectorValues[S] | Range<SelectorValues[S]>)[])
  | { readonly set: readonly (SelectorValues[S] | Range<SelectorValues[S]>)[] }
  | { readonly named: NamesOf<T, SetPart<SetTypeOf<S>, undefined>> }

/** How something is compared when not for equality. */
export interface Comparison<S extends keyof SelectorValues, T extends TableParts, Next> {
  /** `!=`: another value, or none of them. */
  not<const V extends Given<S, T>>(value: V & Literal<S, V>): Next
  /** By size. */
  compare(op: '<' | '<=' | '>' | '>=', value: SelectorValues[S]): Next
}

/** The type of the named sets that it can be looked up in. */
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

/** The value again, with `never` for each text that is an address of the other family. A text that is not known stays. */
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
