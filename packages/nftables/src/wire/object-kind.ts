/** Kinds of nf_tables objects. `object` is stateful, such as a counter; `element` is a list of set elements. */
export type ObjectKind = 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable'
