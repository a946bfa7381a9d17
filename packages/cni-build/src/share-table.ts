import type { BundleShare } from './bundle-shares.ts'

/** Formats the shares of a bundle as lines for people. */
export const shareTable = (packages: readonly BundleShare[]): string[] =>
  packages.map(({ package: name, bytes }) => `  ${(bytes / 1e3).toFixed(1).padStart(7)} kB  ${name}`)
