import { CniError, ErrorCode, isObject, type Result } from '@cni/types'
import { confObject, type PluginInput } from './conf.ts'
import {
  type DelegateAddOptions,
  delegateAdd,
  delegateCheck,
  delegateDel,
  delegateGC,
  delegateStatus,
} from './delegate.ts'
import type { InvokeOptions } from './exec.ts'

/**
 * Delegation to the address management plugin that the configuration names in `ipam.type`. It receives the whole
 * configuration.
 *
 * @example
 * ```ts
 * const { ips = [], routes = [] } = await ipam.add(c.raw, { env: c.env, signal: c.signal, addOrUndo: true })
 * c.undo(() => ipam.del(c.raw, { env: c.env }))
 * ```
 */
export const ipam = {
  /** The `ipam.type` of a configuration, or `undefined` when it has none. */
  type(conf: PluginInput): string | undefined {
    const { ipam: section } = confObject('', conf)
    return isObject(section) && typeof section.type === 'string' && section.type !== '' ? section.type : undefined
  },

  /** Reserves addresses; the result has no interfaces. */
  async add(conf: PluginInput, options?: DelegateAddOptions): Promise<Result> {
    return delegateAdd(requiredType(conf), conf, options)
  },

  /** Asks whether the reservation still stands. */
  async check(conf: PluginInput, options?: InvokeOptions): Promise<void> {
    return delegateCheck(requiredType(conf), conf, options)
  },

  /** Releases the addresses. */
  async del(conf: PluginInput, options?: InvokeOptions): Promise<void> {
    return delegateDel(requiredType(conf), conf, options)
  },

  /** Asks whether addresses could be reserved. */
  async status(conf: PluginInput, options?: InvokeOptions): Promise<void> {
    return delegateStatus(requiredType(conf), conf, options)
  },

  /** Releases the addresses of attachments that are gone. */
  async gc(conf: PluginInput, options?: InvokeOptions): Promise<void> {
    return delegateGC(requiredType(conf), conf, options)
  },
} as const

function requiredType(conf: PluginInput): string {
  const type = ipam.type(conf)
  if (type !== undefined) return type
  throw new CniError(ErrorCode.invalidNetworkConfig, 'ipam.type: expected the name of an IPAM plugin, got nothing')
}
