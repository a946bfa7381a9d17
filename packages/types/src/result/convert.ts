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
 * Reads the result of any version (as parsed JSON) into the 1.1.0 model. Addresses come out canonical, empty members
 * are left out, unknown members are kept.
 *
 * @throws {@link CniError} with code 6 naming the member (`ips[0].address: invalid CIDR address: 10.0.0.1`), or with
 * code 1 for a version that is not known.
 * @example
 * ```ts
 * const result = decodeResult(JSON.parse(stdout), { version: '0.4.0' })
 * ```
 */
export function decodeResult(
  document: unknown,
  options: {
    /** The version of a document that does not say its own; without it that is {@link resultVersion}'s. */
    readonly version?: string | undefined
    /** Refuse a document whose own version does not share the shape of `version`, as the reference implementation does. */
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
 * The text of a result in a version, with the bytes of the reference implementation: four spaces, its order of keys,
 * no final newline. Unknown members are printed too.
 *
 * @throws {@link CniError} with code 999 for a result that cannot be printed, naming the member.
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
 * The text of a received result in a version: {@link convertResult}, and then printed as {@link encodeResult} does.
 *
 * @throws {@link CniError} with code 6 for a document that is not a result of its version, 999 when it has no
 * counterpart in the other.
 */
export function reencodeResult(document: unknown, from: string, to: string): string {
  const [source, target] = families(from, to)
  return print(decodeWritten(document, source, from), source, target, to)
}

/**
 * A result document in another version's shape. The same version gives the same document back, untouched.
 *
 * Downwards is lossy where the older version has no word for something: extras of interfaces before 1.0.0; before 0.3.0
 * interfaces, further addresses of a family and extras of routes.
 *
 * @throws {@link CniError} with code 6 for a document that is not a result of the version, or says that it is of one
 * with another shape; with code 999 when there is no such conversion.
 */
export function convertResult(document: unknown, from: string, to: string): unknown {
  if ((from || '0.1.0') === (to || '0.1.0')) return document
  const [source, target] = families(from, to)
  return { cniVersion: to || '0.1.0', ...convertMembers(decodeWritten(document, source, from), source, target) }
}

/**
 * The version a result document says it is in; the fallback when it says none. Without either, its members tell: with
 * `interfaces`, `ips` or `routes` it is the 1.1.0 model, or 0.4.0 where addresses have a `version`; else 0.1.0.
 *
 * @throws {@link CniError} with code 6 when its `cniVersion` is not a text.
 */
export function resultVersion(document: unknown, fallback = ''): string {
  return writtenVersion(document) || fallback || impliedVersion(document)
}

/** Read as 0.1.0, a document in a later shape would lose everything it says. */
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
  // Only the oldest family takes null for an empty result.
  const given = document === null && family === 'ip4-ip6' ? {} : document
  return decodeObject(given, { cniVersion: () => undefined, ...shapeOf(family) }, '')
}

/** {@link decodeMembers}, unless the document says that it has another shape: read as this one it would lose members. */
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
  // Since 1.0.0 the reference implementation prints from a map, whose keys it sorts.
  return goStringify(document, { indent: 4, sortKeys: to === 'ips' })
}

function families(from: string, to: string): [Family, Family] {
  const source = familyOf(from || '0.1.0')
  const target = familyOf(to || '0.1.0')
  if (source !== undefined && target !== undefined) return [source, target]
  throw new CniError(ErrorCode.internal, `no converter for CNI result version ${from} to ${to}`)
}
