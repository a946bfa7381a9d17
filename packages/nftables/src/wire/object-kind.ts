/** Kinds of objects in nf_tables. `object` is a named counter, quota …; `element` a list of elements of a set. */
export type ObjectKind = 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable'
