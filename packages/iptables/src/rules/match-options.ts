import type { RuleBuilder } from './builder/builder-types.ts'
import type { Conditions } from './builder/match-types.ts'

/** Options of the rule builder's conditions. */
export type SocketOptions = NonNullable<Parameters<RuleBuilder<'nat', string>['socket']>[0]>
export type Statistic = Parameters<Conditions<unknown, 'ipv4'>['statistic']>[0]
