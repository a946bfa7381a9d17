import { type Conflist, gte } from '@cni/types'
import { RuntimeError } from './errors.ts'

/** Members of a network configuration list that decide which verbs the runtime runs. */
type Gated = Pick<Conflist, 'cniVersion' | 'disableCheck' | 'disableGC'>

/** Throws `CHECK_UNSUPPORTED` if the `cniVersion` of a list is older than 0.4.0, which added CHECK. */
export function assertCheckSupported({ cniVersion = '' }: Gated): void {
  if (gte(cniVersion, '0.4.0')) return
  const message = `configuration version "${cniVersion}" does not support the CHECK command`
  throw new RuntimeError('CHECK_UNSUPPORTED', message, { hint: 'CHECK came with cniVersion 0.4.0' })
}

/** True if DEL gets the result of ADD. CNI requires this since version 0.4.0. */
export function delKnowsResult({ cniVersion = '' }: Gated): boolean {
  return gte(cniVersion, '0.4.0')
}

/** True if the version of a network configuration list defines GC and STATUS. */
export function knowsGcAndStatus({ cniVersion = '' }: Gated): boolean {
  return gte(cniVersion, '1.1.0')
}
