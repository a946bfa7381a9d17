import { type Conflist, gte } from '@cni/types'
import { RuntimeError } from './errors.ts'

/** What a list is asked at all: by its version, and by the switches in it. */
type Gated = Pick<Conflist, 'cniVersion' | 'disableCheck' | 'disableGC'>

/** Throws `CHECK_UNSUPPORTED` for a list from before CHECK. */
export function assertCheckSupported({ cniVersion = '' }: Gated): void {
  if (gte(cniVersion, '0.4.0')) return
  const message = `configuration version "${cniVersion}" does not support the CHECK command`
  throw new RuntimeError('CHECK_UNSUPPORTED', message, { hint: 'CHECK came with cniVersion 0.4.0' })
}

/** Whether DEL of the list's version is told the result of ADD. */
export function delKnowsResult({ cniVersion = '' }: Gated): boolean {
  return gte(cniVersion, '0.4.0')
}

/** Whether plugins of the list's version know GC and STATUS. */
export function knowsGcAndStatus({ cniVersion = '' }: Gated): boolean {
  return gte(cniVersion, '1.1.0')
}
