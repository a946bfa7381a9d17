/** Generation that the kernel reports for nf_tables in a new network namespace. The kernel adds 1 for each change. */
export const INITIAL_GENERATION = 1
