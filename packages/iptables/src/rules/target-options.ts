import type {
  CommonTargets,
  DnatTargets,
  MasqueradeTargets,
  RawTargets,
  Rejections,
  SnatTargets,
  TproxyTargets,
} from './builder/target-types.ts'

type Common = CommonTargets<string, 'ipv4'>

/** Options of the targets, as the builder takes them. */
export type LogTargetOptions = Exclude<Parameters<Common['log']>[0], string | undefined>
export type LogTargetLevel = Exclude<LogTargetOptions['level'], number | undefined>
export type NflogOptions = NonNullable<Parameters<Common['nflog']>[0]>
export type AddSetOptions = NonNullable<Parameters<Common['addSet']>[2]>
export type CtOptions = Parameters<RawTargets['ct']>[0]
export type NatOptions = NonNullable<Parameters<DnatTargets<'ipv4', true>['dnat']>[1]>
export type SnatOptions = NonNullable<Parameters<SnatTargets<'ipv4'>['snat']>[1]>
export type TproxyOptions = Parameters<TproxyTargets<'ipv4', true>['tproxy']>[0]
export type MasqueradeOptions = NonNullable<Parameters<MasqueradeTargets['masquerade']>[0]>
export type RejectIpv4 = Rejections['ipv4']
export type RejectIpv6 = Rejections['ipv6']
