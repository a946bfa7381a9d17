/** CNI commands that get a configuration on stdin. VERSION is missing, because its input is no configuration. */
export const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] as const

/** A CNI command from the list {@link VERBS}. */
export type Verb = (typeof VERBS)[number]
