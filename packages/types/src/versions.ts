import { CniError, ErrorCode } from './errors.ts'

/** Every version of the CNI specification with a known wire format, oldest first. */
export const CNI_VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const

/** One of {@link CNI_VERSIONS}. */
export type CniVersion = (typeof CNI_VERSIONS)[number]

/** The version of the in-memory model, and what a VERSION reply announces. */
export const CURRENT_VERSION = '1.1.0' satisfies CniVersion

/** Whether a value is exactly one of {@link CNI_VERSIONS}; `1.1` is not. */
export function isCniVersion(value: unknown): value is CniVersion {
  return CNI_VERSIONS.some((known) => known === value)
}

/**
 * The three numbers of a version text; a missing minor or patch is 0 and `""` is 0.1.0.
 *
 * @throws {@link CniError} with code 6 when the text is not a version.
 */
export function parseVersion(version: string): readonly [number, number, number] {
  if (version === '') return [0, 1, 0]
  const parts = version.split('.')
  if (parts.length > 3) throw invalidVersion(version, 'too many parts')
  const [major, minor = 0, patch = 0] = parts.map((part) => parsePart(version, part))
  if (major === undefined) throw invalidVersion(version, 'no number in it')
  return [major, minor, patch]
}

/** Negative, zero or positive as `a` is older than, equal to or newer than `b`: an argument for `sort`. */
export function compareVersions(a: string, b: string): number {
  const right = parseVersion(b)
  const differences = parseVersion(a).map((part, index) => part - (right[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

/** Whether `a` is the same version as `b` or a newer one. */
export function gte(a: string, b: string): boolean {
  return compareVersions(a, b) >= 0
}

/** Whether `a` is a newer version than `b`. */
export function gt(a: string, b: string): boolean {
  return compareVersions(a, b) > 0
}

function parsePart(version: string, part: string): number {
  // A sign is legal in the reference implementation: "-1" is a version older than all others.
  if (!/^[+-]?\d+$/.test(part)) throw invalidVersion(version, `part ${JSON.stringify(part)} is not a number`)
  const number = Number(part)
  if (!Number.isSafeInteger(number)) throw invalidVersion(version, `part ${JSON.stringify(part)} is out of range`)
  return number
}

function invalidVersion(version: string, reason: string): CniError {
  return new CniError(ErrorCode.decodingFailure, `invalid CNI version ${JSON.stringify(version)}: ${reason}`)
}
