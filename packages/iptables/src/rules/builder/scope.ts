import type { AddressPair, BuiltinChain, Family, Table } from '../model.ts'

/** Type of the addresses that a rule builder accepts. A single address needs a one-family rule. */
export type AddressOf<S extends Family | 'both'> = S extends 'both' ? AddressPair : string | AddressPair

/** Names of the builder methods whose conditions or targets the kernel would refuse in a chain. */
export type Refused<T extends Table, S extends Family | 'both', C extends string> =
  | (S extends 'ipv4' ? never : 'icmpType')
  | (S extends 'ipv6' ? never : 'icmpv6Type')
  | Outside<C, 'PREROUTING' | 'INPUT' | 'FORWARD', 'in' | 'mac'>
  | Outside<C, 'FORWARD' | 'OUTPUT' | 'POSTROUTING', 'out' | 'clampMssToPmtu'>
  | Outside<C, 'OUTPUT' | 'POSTROUTING', 'uid' | 'gid' | 'socketExists'>
  | Outside<C, 'PREROUTING' | 'INPUT', 'socket'>
  | (T extends 'nat'
      ?
          | Outside<C, 'PREROUTING' | 'OUTPUT', 'redirect' | 'dnat'>
          | Outside<C, 'POSTROUTING' | 'INPUT', 'snat'>
          | Outside<C, 'POSTROUTING', 'masquerade'>
          | 'drop'
      : 'redirect' | 'dnat' | 'snat' | 'masquerade')
  | (T extends 'mangle' ? Outside<C, 'PREROUTING', 'tproxy'> : 'tproxy')
  | (T extends 'mangle' | 'filter' ? never : 'setMss' | 'clampMssToPmtu')
  | (T extends 'raw' ? never : 'ctZone' | 'ct' | 'notrack')
  | (T extends 'filter' ? never : 'reject')

// internal

/** Method names `Steps` if chain `C` forbids these methods, otherwise `never`. */
type Outside<C extends string, H extends BuiltinChain, Steps extends string> = [Extract<C, BuiltinChain>] extends [H]
  ? never
  : Steps
