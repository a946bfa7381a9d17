/**
 * The wire formats of CNI: versions, configurations, results of every version, errors. Pure: no I/O, no dependencies.
 *
 * @example
 * ```ts
 * import { decodeResult, encodeResult } from '@cni/types'
 *
 * const result = decodeResult(JSON.parse('{"cniVersion":"0.2.0","ip4":{"ip":"10.1.2.3/24"}}'))
 * result.ips?.[0]?.address // '10.1.2.3/24'
 * encodeResult(result, '1.0.0')
 * ```
 *
 * @module
 */

export { parseCniArgs } from './cni-args.ts'
// Configuration lists
export {
  assertConflistDocument,
  type Conflist,
  type ConflistDocument,
  parseConflist,
  parseConflistDocument,
  selectVersion,
} from './conflist.ts'
export { conflistFromPlugin } from './conflist-edit.ts'
export {
  type CniErrorDocument,
  decodeError,
  encodeError,
  errorLine,
  formatError,
  toErrorDocument,
} from './error-document.ts'
// Errors
export {
  CniError,
  cniErrorKey,
  ErrorCode,
  isCniError,
} from './errors.ts'
export { goStringify } from './go-json.ts'
export { goQuote } from './go-quote.ts'
// Scalars and bytes
export { parseCidr, parseIp } from './ip.ts'
export { foldMembers, isObject, type JsonObject, parseJson } from './json.ts'
export { type JsonSpan, jsonDepth, jsonItems, jsonMembers, jsonValue } from './json-text.ts'
export { type K8sArgs, k8sArgs } from './k8s-args.ts'
// Configurations
export {
  assertNetConfName,
  type NetConf,
  netConfVersion,
  normalizeNetConf,
  parseNetConf,
  type ValidAttachment,
} from './net-conf.ts'
export { assertPluginConf, type PluginConf, parsePluginConf } from './plugin-conf.ts'
// Text for people
export { printable, quote } from './quote.ts'
export {
  convertResult,
  decodeResult,
  encodeResult,
  reencodeResult,
  resultVersion,
} from './result/convert.ts'
export { assignInterface, mergeResults, resolveRoutes } from './result/merge.ts'
// Results
export type { Dns, Interface, IpConfig, Result, Route } from './result/model.ts'
export { changeInterface, containerIps } from './result/of-containers.ts'
// Errors of others
export { errnoOf, messageOf } from './thrown.ts'
export { escapeUnsafe, escapeUnsafeLines, replaceUnsafe } from './unsafe-text.ts'
// Environment
export { assertContainerID, assertIfName, assertNetworkName } from './validate.ts'
// Verbs
export { VERBS, type Verb } from './verbs.ts'
// Versions
export {
  CNI_VERSIONS,
  type CniVersion,
  CURRENT_VERSION,
  compareVersions,
  gte,
  isCniVersion,
  parseVersion,
  versionsStartingFrom,
} from './versions.ts'
