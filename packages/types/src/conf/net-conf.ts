import { CniError, ErrorCode } from '../errors.ts'
import { foldMembers, isObject, type JsonObject, kindOf, parseJson } from '../json/json.ts'
import type { Result } from '../result/model.ts'
import { assertNetworkName } from '../validate.ts'
import { misfit } from './plugin-members.ts'

/** An attachment of a container that still exists. GC removes the resources of all other attachments. */
export interface ValidAttachment {
  containerID: string
  ifname: string
}

/** Configuration that a plugin gets on stdin: the standard keys, and the plugin's own keys. */
export interface NetConf {
  cniVersion?: string
  name: string
  type?: string
  capabilities?: Record<string, boolean>
  runtimeConfig?: Record<string, unknown>
  args?: Record<string, unknown>
  ipMasq?: boolean
  ipam?: { type?: string; [member: string]: unknown }
  dns?: NonNullable<Result['dns']>
  /** Result of the previous plugin as received, unchecked. `decodeResult` converts it into a `Result`. */
  prevResult?: unknown
  'cni.dev/valid-attachments'?: ValidAttachment[]
  /** Older name of the key `cni.dev/valid-attachments`. Runtimes send the same list under both names. */
  'cni.dev/attachments'?: ValidAttachment[]
  [member: string]: unknown
}

/**
 * Parses a plugin's configuration: a JSON object with a valid `name`. Checks the types of standard keys. All members
 * keep their values.
 *
 * @throws {@link CniError} with code 6 or 7.
 * @example
 * ```ts
 * const conf = parseNetConf('{"cniVersion":"1.1.0","name":"pods","type":"bridge"}')
 * ```
 */
export function parseNetConf(input: string | Uint8Array): NetConf {
  const conf = normalizeNetConf(parseJson(input, UNREADABLE))
  const problem = misfit(conf)
  if (problem !== undefined) throw new CniError(ErrorCode.decodingFailure, `${UNREADABLE}: ${problem}`)
  return conf as NetConf
}

/**
 * Checks a parsed plugin configuration and normalizes `name`, `cniVersion` and `prevResult`. Ignores the case of these
 * names, as Go does. This is the first step of {@link parseNetConf}.
 *
 * @throws {@link CniError} with code 6 if the document is not an object or its `name` is not a string; with code 7 if
 * the network name is missing or invalid.
 */
export function normalizeNetConf(
  document: unknown,
): JsonObject & { cniVersion?: unknown; name: string; prevResult?: unknown } {
  if (document !== null && !isObject(document)) throw unreadable('expected an object', document)
  const folded: JsonObject = { ...foldMembers(document ?? {}, FOLDED) }
  for (const member of FOLDED) {
    if (folded[member] === null) delete folded[member]
  }
  const { name = '' } = folded
  if (typeof name !== 'string') throw unreadable('name: expected a string', name)
  if (name === '') throw new CniError(ErrorCode.invalidNetworkConfig, 'missing network name')
  assertNetworkName(name)
  return { ...folded, name }
}

/**
 * `cniVersion` of a plugin configuration; 0.1.0 if missing or empty. Does not check that the version is known.
 *
 * @throws {@link CniError} with code 6 if `cniVersion` is not a string.
 */
export function netConfVersion(conf: { readonly cniVersion?: unknown }): string {
  const { cniVersion } = conf
  if (cniVersion === undefined || cniVersion === null || cniVersion === '') return '0.1.0'
  if (typeof cniVersion !== 'string') throw unreadable('cniVersion: expected a string', cniVersion)
  return cniVersion
}

const FOLDED = ['name', 'cniVersion', 'prevResult']
const UNREADABLE = 'error unmarshall network config'

function unreadable(expected: string, given: unknown): CniError {
  return new CniError(ErrorCode.decodingFailure, `${UNREADABLE}: ${expected}, got ${kindOf(given)}`)
}
