/** Common version of these packages. */
export const VERSION = '0.1.0'
