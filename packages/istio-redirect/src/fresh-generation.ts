/** Generation of a fresh namespace: no program has ever changed nf_tables there. The kernel counts changes from 1. */
export const FRESH_GENERATION = 1
