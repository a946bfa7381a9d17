/** Version that all packages of this repository share. */
export const VERSION = '0.1.0'
