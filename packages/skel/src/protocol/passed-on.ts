import { encodeResult, isObject } from '@cni/types'
import type { NetworkConfig } from './network-config.ts'
import { readPrevResult, verbatim } from './prev-result.ts'

/**
 * The result of the plugins before as it came, where it is in the right version already; without one, an empty result.
 *
 * @throws {@link CniError} 999 when it is no result.
 */
export function passedOn(config: NetworkConfig, version: string): string {
  const { prevResult: received } = config.document
  if (received === undefined) return encodeResult({}, version)
  const unread = isObject(received) && received.cniVersion === version ? verbatim(config) : undefined
  return unread ?? readPrevResult(config, version)?.print() ?? ''
}
