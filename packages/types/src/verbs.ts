/**
 * CNI commands that get a plugin configuration on stdin. VERSION is not one of them, because its input is not a
 * configuration.
 */
export const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] as const

/** A CNI command that gets a configuration: one of {@link VERBS}. */
export type Verb = (typeof VERBS)[number]
