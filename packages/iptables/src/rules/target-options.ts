import type { Targets } from './builder/target-types.ts'

type Every = Targets<string, 'ipv4', true>

/** Options of the rule builder's targets. */
export type LogTargetOptions = Exclude<Parameters<Every['log']>[0], string | undefined>
export type LogTargetLevel = Exclude<LogTargetOptions['level'], number | undefined>
export type NflogOptions = NonNullable<Parameters<Every['nflog']>[0]>
export type AddSetOptions = NonNullable<Parameters<Every['addSet']>[2]>
export type CtOptions = Parameters<Every['ct']>[0]
export type NatOptions = NonNullable<Parameters<Every['dnat']>[1]>
export type SnatOptions = NonNullable<Parameters<Every['snat']>[1]>
export type TproxyOptions = Parameters<Every['tproxy']>[0]
export type MasqueradeOptions = NonNullable<Parameters<Every['masquerade']>[0]>
