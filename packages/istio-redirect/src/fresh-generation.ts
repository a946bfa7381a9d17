/**
 * Generation of nf_tables in a fresh namespace: nf_tables was never changed there. The kernel counts changes from 1.
 */
export const FRESH_GENERATION = 1
