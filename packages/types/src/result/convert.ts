import { CniError, ErrorCode } from '../errors.ts'
import { goStringify } from '../json/go-json.ts'
import { foldMembers, isObject, type JsonObject, kindOf } from '../json/json.ts'
import { goQuote } from '../text/go-quote.ts'
import { messageOf } from '../thrown.ts'
import { CURRENT_VERSION } from '../versions.ts'
import { type Family, familyOf, versionsOf } from './family.ts'
import { decodeObject } from './members.ts'
import type { Result } from './model.ts'
import { shapeOf } from './shapes.ts'
import { convertMembers } from './steps.ts'

/**
 * Decodes a CNI result of any version into the 1.1.0 model. Addresses become canonical, empty members are omitted,
 * unknown members are kept.
 *
 * @throws {@link CniError} with code 6 that names the invalid member (`ips[0].address: invalid CIDR address:
 * 10.0.0.1`), or with code 1 for an unknown version.
 * @example
 * ```ts
 * const result = decodeResult(JSON.parse(stdout), { version: '0.4.0' })
 * ```
 */
export function decodeResult(
  document: unknown,
  options: {
    /**
     * Version of a result without `cniVersion`. Default: {@link resultVersion} derives the version from the result's
     * members.
     */
    readonly version?: string | undefined
    /**
     * True to reject a result whose `cniVersion` has another JSON structure than `version`. For example, results of
     * 0.2.0 have `ip4`, but results of 0.3.0 have `ips`.
     */
    readonly strict?: boolean
  } = {},
): Result {
  const { version = '', strict = false } = options
  const own = resultVersion(document, version)
  const family = familyOf(strict ? version || '0.1.0' : own)
  if (family === undefined) {
    throw new CniError(
      ErrorCode.incompatibleVersion,
      `unsupported CNI result version ${goQuote(strict ? version : own)}`,
    )
  }
  if (strict) assertOfFamily(document, family)
  const members = convertMembers(decodeMembers(document, family), family, 'ips')
  return { cniVersion: CURRENT_VERSION, ...members } as Result
}

/**
 * Encodes a CNI result with the reference implementation's bytes for the version. Unknown members are printed too.
 *
 * @throws {@link CniError} with code 999 that names the invalid member.
 * @example
 * ```ts
 * encodeResult({ ips: [{ address: '10.1.2.3/24' }] }, '0.4.0')
 * ```
 */
export function encodeResult(result: Result, version: string): string {
  const own = typeof result?.cniVersion === 'string' ? result.cniVersion : ''
  if (familyOf(own) === 'ip4-ip6' && (result.ip4 !== undefined || result.ip6 !== undefined)) {
    throw new CniError(ErrorCode.internal, `cannot print the result: it is a ${own} document, not the 1.1.0 model`, {
      hint: 'read it with decodeResult first',
    })
  }
  const [from, to] = families(CURRENT_VERSION, version)
  return print(printable(result, from), from, to, version)
}

/**
 * Converts a received CNI result like {@link convertResult} and encodes it like {@link encodeResult}.
 *
 * @throws {@link CniError} with code 6 if the result is invalid in its version. The code is 999 if the function cannot
 *   convert the result from `from` to `to`.
 */
export function reencodeResult(document: unknown, from: string, to: string): string {
  const [source, target] = families(from, to)
  return print(decodeWritten(document, source, from), source, target, to)
}

/**
 * Converts a parsed CNI result from version `from` to version `to`. Returns the same object if both versions are equal.
 *
 * An older version loses these members:
 * - before 1.0.0: `mtu`, `socketPath` and `pciID` of interfaces.
 * - before 0.3.0: interfaces, second addresses of a family, and members of routes except `dst` and `gw`.
 *
 * @throws {@link CniError} with code 6 if the result is invalid in version `from`. The code is also 6 if its
 * `cniVersion` has another JSON structure than `from`. The code is 999 for an unknown version.
 */
export function convertResult(document: unknown, from: string, to: string): unknown {
  if ((from || '0.1.0') === (to || '0.1.0')) return document
  const [source, target] = families(from, to)
  return { cniVersion: to || '0.1.0', ...convertMembers(decodeWritten(document, source, from), source, target) }
}

/**
 * Version of a CNI result: its `cniVersion`, else the fallback, else derived from its members:
 * - `interfaces`, `ips` or `routes`: 1.1.0, or 0.4.0 if addresses have a `version`.
 * - otherwise: 0.1.0.
 *
 * @throws {@link CniError} with code 6 if `cniVersion` is not a string.
 */
export function resultVersion(document: unknown, fallback = ''): string {
  return writtenVersion(document) || fallback || impliedVersion(document)
}

/** Derives a missing `cniVersion` from the members: decoding a newer result as 0.1.0 would lose all members. */
function impliedVersion(document: unknown): string {
  if (!isObject(document)) return '0.1.0'
  const { ip4, ip6, interfaces, ips, routes } = foldMembers(document, ['ip4', 'ip6', 'interfaces', 'ips', 'routes'])
  if ((ip4 ?? ip6) != null || (interfaces ?? ips ?? routes) == null) return '0.1.0'
  const hasVersions = Array.isArray(ips) && ips.some((one) => isObject(one) && one.version !== undefined)
  return hasVersions ? '0.4.0' : CURRENT_VERSION
}

function writtenVersion(document: unknown): string {
  if (!isObject(document)) return ''
  const { cniVersion = null } = decodeObject(document, { cniVersion: (value) => value ?? undefined }, '')
  if (cniVersion === null) return ''
  if (typeof cniVersion === 'string') return cniVersion
  const got = kindOf(cniVersion)
  throw new CniError(ErrorCode.decodingFailure, `cniVersion: expected a string, got ${got}`)
}

function assertOfFamily(document: unknown, family: Family): void {
  const written = writtenVersion(document)
  const known = versionsOf(family)
  if (known.includes(written) || (family === 'ip4-ip6' && written === '')) return
  const supported = `[${known.join(' ')}]`
  throw new CniError(
    ErrorCode.incompatibleVersion,
    `result type supports ${supported} but unmarshalled CNIVersion is ${goQuote(written)}`,
  )
}

function decodeMembers(document: unknown, family: Family): JsonObject {
  // Accepts `null` as an empty result in versions 0.1.0 and 0.2.0 only.
  const given = document === null && family === 'ip4-ip6' ? {} : document
  return decodeObject(given, { cniVersion: () => undefined, ...shapeOf(family) }, '')
}

/** Rejects a result whose `cniVersion` is in another version group: decoding would lose members. */
function decodeWritten(document: unknown, family: Family, from: string): JsonObject {
  const own = writtenVersion(document)
  if (own === '' || familyOf(own) === family) return decodeMembers(document, family)
  const message = `cniVersion: expected a result of version ${from || '0.1.0'}, got ${goQuote(own)}`
  throw new CniError(ErrorCode.decodingFailure, message)
}

function printable(result: Result, family: Family): JsonObject {
  try {
    return decodeMembers(result, family)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new CniError(ErrorCode.internal, `cannot print the result: ${reason}`, { cause })
  }
}

function print(members: JsonObject, from: Family, to: Family, version: string): string {
  const document = { cniVersion: version || '0.1.0', ...convertMembers(members, from, to) }
  // Sorts the keys from version 1.0.0 on: for these versions, the reference implementation prints a Go map.
  return goStringify(document, { indent: 4, sortKeys: to === 'ips' })
}

function families(from: string, to: string): [Family, Family] {
  const source = familyOf(from || '0.1.0')
  const target = familyOf(to || '0.1.0')
  if (source !== undefined && target !== undefined) return [source, target]
  throw new CniError(ErrorCode.internal, `no converter for CNI result version ${from} to ${to}`)
}
