/** The kernel's count of the changes of nf_tables in a namespace begins with it: nobody has changed anything. */
export const FIRST_GENERATION = 1
