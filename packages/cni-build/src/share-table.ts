import type { BundleShare } from './bundle-shares.ts'

/** Formats the size of each package in a bundle as one line of a table for the user. */
export const shareTable = (packages: readonly BundleShare[]): string[] =>
  packages.map(({ package: name, bytes }) => `  ${(bytes / 1e3).toFixed(1).padStart(7)} kB  ${name}`)
