import { parts } from '../state.ts'

/** Names of the results that the tests compare between Istio's command-line program and ours. */
export const commandFields = ['exit codes', 'dry run', ...parts] as const

/** Name of a compared result: one of {@link commandFields}. */
export type CommandField = (typeof commandFields)[number]
