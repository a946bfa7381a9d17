/**
 * Kinds of objects in nf_tables. `object` is a stateful object such as a named counter. `element` is a list of a set's
 * elements.
 */
export type ObjectKind = 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable'
