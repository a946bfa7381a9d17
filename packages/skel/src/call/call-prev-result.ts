import { CniError, ErrorCode, messageOf, type Result } from '@cni/types'
import { type PrevResult, readPrevResult } from '../protocol/prev-result.ts'
import type { AcceptedCall } from './accepted-call.ts'

/**
 * Result of the previous plugins (`prevResult`), for ADD and CHECK.
 *
 * @throws {@link CniError} 999 if `prevResult` is unreadable, 7 if it is missing for a chained plugin.
 */
export function prevResult({ call: { plugin }, config, version }: AcceptedCall): PrevResult | undefined {
  const prev = readPrevResult(config, version)
  if (prev !== undefined || plugin.chained !== true) return prev
  throw new CniError(ErrorCode.invalidNetworkConfig, `prevResult: missing, ${plugin.name} is a chained plugin`, {
    hint: 'it must not be the first in the list of plugins',
  })
}

/** Result of the previous plugins (`prevResult`), for DEL. An unreadable `prevResult` counts as missing. */
export function tolerantPrevResult({ call, config, version }: AcceptedCall): Result | undefined {
  try {
    return readPrevResult(config, version)?.value
  } catch (error) {
    call.log.warn('prevResult is unreadable, going on without it', { reason: messageOf(error) })
    return undefined
  }
}
