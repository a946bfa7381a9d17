import type { SocketSteps } from './builder/builder-types.ts'
import type { NegatableMatches } from './builder/match-types.ts'

/** Options of the conditions, as the builder takes them. */
export type SocketOptions = NonNullable<Parameters<SocketSteps<'nat', string, 'ipv4', string, true>['socket']>[0]>
export type Statistic = Parameters<NegatableMatches<unknown, 'ipv4'>['statistic']>[0]
