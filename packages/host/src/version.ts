/** The version of these packages, which all have the same. */
export const VERSION = '0.1.0'
