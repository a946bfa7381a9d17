import { parts } from './state.ts'

/** Results in which Istio's command-line program and ours are compared. */
export const commandFields = ['exit codes', 'dry run', ...parts] as const

/** Name of a compared result: one of {@link commandFields}. */
export type CommandField = (typeof commandFields)[number]
