/** CNI commands with a configuration. VERSION has none. */
export const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] as const

/** One of {@link VERBS}. */
export type Verb = (typeof VERBS)[number]
