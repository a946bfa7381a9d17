import { CniError, ErrorCode } from '../errors.ts'
import { foldMembers, isObject, type JsonObject, kindOf, parseJson } from '../json/json.ts'
import type { Result } from '../result/model.ts'
import { assertNetworkName } from '../validate.ts'
import { misfit } from './plugin-members.ts'

/** One still valid attachment, as GC lists them. */
export interface ValidAttachment {
  containerID: string
  ifname: string
}

/** What a plugin reads from stdin: the standard keys, and the plugin's own. */
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
  /** As received; `decodeResult` makes a result of it. */
  prevResult?: unknown
  'cni.dev/valid-attachments'?: ValidAttachment[]
  /** The historical spelling; runtimes send both. */
  'cni.dev/attachments'?: ValidAttachment[]
  [member: string]: unknown
}

/**
 * Reads a plugin's configuration: JSON, an object, a valid `name`, standard keys of their types. All members, the
 * plugin's own included, are handed over as they came.
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
 * The first step of {@link parseNetConf}, for a parsed document: an object with `name`, `cniVersion` and `prevResult`
 * under these exact names (other spellings in case are accepted where the exact one is missing). `null` members of
 * these names are dropped.
 *
 * @throws {@link CniError} with code 6 when the document is no object or its name no text, 7 without a valid network name.
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
 * The version a configuration is written in; a missing or empty one means 0.1.0. Whether it is a known version is not
 * checked.
 *
 * @throws {@link CniError} with code 6 when it is not a text.
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
