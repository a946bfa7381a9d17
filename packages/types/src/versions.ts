import { CniError, ErrorCode } from './errors.ts'

/** All versions of the CNI specification with a known wire format, oldest first. */
export const CNI_VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const

/** A CNI version from the list {@link CNI_VERSIONS}. */
export type CniVersion = (typeof CNI_VERSIONS)[number]

/** CNI version into which this package decodes all results. Plugins report it for VERSION. */
export const CURRENT_VERSION = '1.1.0' satisfies CniVersion

/** True for one of the strings in {@link CNI_VERSIONS}. False for all other strings, such as `1.1`. */
export function isCniVersion(value: unknown): value is CniVersion {
  return CNI_VERSIONS.some((known) => known === value)
}

/** Parses a CNI version into three numbers. A missing number is 0; `''` is 0.1.0. */
export function parseVersion(version: string): readonly [number, number, number] {
  if (version === '') return [0, 1, 0]
  const parts = version.split('.')
  if (parts.length > 3) throw invalidVersion(version, 'too many parts')
  const [major, minor = 0, patch = 0] = parts.map((part) => parsePart(version, part))
  if (major === undefined) throw invalidVersion(version, 'no number in it')
  return [major, minor, patch]
}

/** Compares two CNI versions for `sort`: negative if `a` is older, zero if equal, positive if newer. */
export function compareVersions(a: string, b: string): number {
  const right = parseVersion(b)
  const differences = parseVersion(a).map((part, index) => part - (right[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

/** True if version `a` is equal to version `b` or newer. */
export function gte(a: string, b: string): boolean {
  return compareVersions(a, b) >= 0
}

/** True if version `a` is newer than version `b`. */
export function gt(a: string, b: string): boolean {
  return compareVersions(a, b) > 0
}

function parsePart(version: string, part: string): number {
  // Accepts a sign, as the reference implementation does: "-1" is the oldest version.
  if (!/^[+-]?\d+$/.test(part)) throw invalidVersion(version, `part ${JSON.stringify(part)} is not a number`)
  const number = Number(part)
  if (!Number.isSafeInteger(number)) throw invalidVersion(version, `part ${JSON.stringify(part)} is out of range`)
  return number
}

function invalidVersion(version: string, reason: string): CniError {
  return new CniError(ErrorCode.decodingFailure, `invalid CNI version ${JSON.stringify(version)}: ${reason}`)
}
