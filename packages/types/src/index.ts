/**
 * The wire formats of CNI: versions, configurations, results and errors. Pure: no I/O, no dependencies.
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
// Exports for network configuration lists
export {
  assertConflistDocument,
  type Conflist,
  type ConflistDocument,
  parseConflist,
} from './conf/conflist.ts'
// Configurations
export {
  type NetConf,
  netConfVersion,
  normalizeNetConf,
  parseNetConf,
  type ValidAttachment,
} from './conf/net-conf.ts'
export { assertPluginConf, type PluginConf } from './conf/plugin-conf.ts'
export {
  type CniErrorDocument,
  decodeError,
  encodeError,
  errorLine,
  toErrorDocument,
} from './error-document.ts'
// Errors
export {
  CniError,
  cniErrorKey,
  ErrorCode,
  isCniError,
} from './errors.ts'
// Bytes
export { goStringify } from './json/go-json.ts'
export { foldMembers, isObject, type JsonObject, parseJson } from './json/json.ts'
export { jsonDepth, jsonItems, jsonMembers, jsonValue } from './json/json-text.ts'
export { type K8sArgs, k8sArgs } from './k8s-args.ts'
export {
  convertResult,
  decodeResult,
  encodeResult,
  reencodeResult,
  resultVersion,
} from './result/convert.ts'
export { assignInterface, mergeResults, resolveRoutes } from './result/merge.ts'
// Results
export type { Interface, IpConfig, Result, Route } from './result/model.ts'
export { changeInterface, containerIps } from './result/of-containers.ts'
// Exports that format text for users and logs
export { goQuote } from './text/go-quote.ts'
export { printable, quote } from './text/quote.ts'
export { escapeUnsafe, escapeUnsafeLines, replaceUnsafe } from './text/unsafe-text.ts'
// Exports that read errors of Node.js and of other libraries
export { errnoOf, messageOf } from './thrown.ts'
// Environment
export { assertContainerID, assertIfName, assertNetworkName } from './validate.ts'
// Verbs
export { VERBS, type Verb } from './verbs.ts'
// Versions
export {
  CNI_VERSIONS,
  type CniVersion,
  CURRENT_VERSION,
  gte,
  isCniVersion,
} from './versions.ts'
