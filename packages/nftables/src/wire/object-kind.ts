/**
 * Kinds of objects in nf_tables. `object`: a stateful object such as a named counter. `element`: a list of set
 * elements.
 */
export type ObjectKind = 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable'
