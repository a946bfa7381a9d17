import { CniError, ErrorCode } from './errors.ts'
import { kindOf } from './json/json.ts'

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/
const NOT_IN_IF_NAME = /[/:\p{White_Space}]/u

/** True for a valid container id: ASCII letters, digits, `_`, `.` and `-`, beginning with a letter or digit. */
export function isContainerID(value: string): boolean {
  return typeof value === 'string' && NAME.test(value)
}

/** Throws a {@link CniError}: code 3 for an empty container id, code 4 for an id that `isContainerID` rejects. */
export function assertContainerID(value: string): void {
  assertText('containerID', value, ErrorCode.invalidEnvironment)
  if (value === '') throw new CniError(ErrorCode.unknownContainer, 'missing containerID')
  if (isContainerID(value)) return
  throw new CniError(ErrorCode.invalidEnvironment, 'invalid characters in containerID', { details: value })
}

/** True for a valid network name. A network name allows the same characters as a container id. */
export function isNetworkName(value: string): boolean {
  return typeof value === 'string' && NAME.test(value)
}

/** Throws a {@link CniError} with code 7 for an empty or invalid network name. */
export function assertNetworkName(value: string): void {
  assertText('network name', value, ErrorCode.invalidNetworkConfig)
  if (value === '') throw new CniError(ErrorCode.invalidNetworkConfig, 'missing network name:')
  if (isNetworkName(value)) return
  throw new CniError(ErrorCode.invalidNetworkConfig, 'invalid characters found in network name', { details: value })
}

/** Throws a {@link CniError} with code 4 for an interface name that Linux does not accept. */
export function assertIfName(value: string): void {
  assertText('interface name', value, ErrorCode.invalidEnvironment)
  if (value === '') throw invalidIfName('interface name is empty')
  // Counts bytes, because the kernel's limit for interface names (IFNAMSIZ) is in bytes, not characters.
  if (new TextEncoder().encode(value).length > 15) {
    throw invalidIfName('interface name is too long', 'interface name should be less than 16 characters')
  }
  if (value === '.' || value === '..') throw invalidIfName('interface name is . or ..')
  if (NOT_IN_IF_NAME.test(value)) {
    throw invalidIfName('interface name contains / or : or whitespace characters')
  }
}

function invalidIfName(message: string, details?: string): CniError {
  return new CniError(ErrorCode.invalidEnvironment, message, { details })
}

/** Checks the type, because a regular expression accepts `undefined` as the text "undefined". */
function assertText(what: string, value: unknown, code: number): asserts value is string {
  if (typeof value !== 'string') throw new CniError(code, `${what}: expected a string, got ${kindOf(value)}`)
}
