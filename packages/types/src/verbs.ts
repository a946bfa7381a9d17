/** CNI commands that get a configuration on stdin. VERSION is missing, because its input is no configuration. */
export const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] as const

/** A CNI command that gets a configuration: one of {@link VERBS}. */
export type Verb = (typeof VERBS)[number]
