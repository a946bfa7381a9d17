/** CNI commands that get a plugin configuration on stdin. VERSION gets none. */
export const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] as const

/** A CNI command that gets a configuration: one of {@link VERBS}. */
export type Verb = (typeof VERBS)[number]
