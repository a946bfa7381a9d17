import { parts } from './state.ts'

/** All compared fields of two command lines. */
export const commandFields = ['exit codes', 'dry run', ...parts] as const

/** One of {@link commandFields}. */
export type CommandField = (typeof commandFields)[number]
