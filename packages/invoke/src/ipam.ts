import { CniError, ErrorCode, isObject } from '@cni/types'
import { confObject, type PluginInput } from './conf.ts'
import { type Delegate, type DelegateOptions, type DelegationContext, delegate } from './delegate.ts'

/**
 * The address management plugin that the configuration names in `ipam.type`. It receives the whole configuration; the
 * result of its ADD has no interfaces: `mergeResults` and `assignInterface` of `@cni/types` make one result of it and
 * the plugin's own.
 *
 * @throws {@link InvokeError} `INVALID_CONF` or `INVALID_NAME`, CniError with code 7 when the configuration names none.
 *
 * @example
 * ```ts
 * const { ips = [], routes = [] } = await ipam(c).add() // with its DEL registered in c.undo
 * ```
 */
export function ipam(c: DelegationContext, options?: DelegateOptions): Delegate {
  const type = ipamType(c.raw)
  if (type !== undefined) return delegate(type, c, options)
  throw new CniError(ErrorCode.invalidNetworkConfig, 'ipam.type: expected the name of an IPAM plugin, got nothing')
}

/**
 * The `ipam.type` of a configuration, or `undefined` when it has none: then the plugin has no addresses to manage.
 *
 * @throws {@link InvokeError} `INVALID_CONF` when it is not a JSON object.
 */
export function ipamType(conf: PluginInput): string | undefined {
  const { ipam: section } = confObject('', conf)
  return isObject(section) && typeof section.type === 'string' && section.type !== '' ? section.type : undefined
}
