/** What a runtime asks of a plugin with a configuration; VERSION is asked without one. */
export const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] as const

/** One of {@link VERBS}. */
export type Verb = (typeof VERBS)[number]
