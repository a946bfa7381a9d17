import { CniError, ErrorCode, isObject } from '@cni/types'
import { confObject, type PluginInput } from './conf.ts'
import { type Delegate, type DelegateOptions, type DelegationContext, delegate } from './delegate.ts'

/**
 * Creates the delegate for the address management (IPAM) plugin in `ipam.type`. The result of its ADD has no
 * interfaces. To add interfaces, use `mergeResults` and `assignInterface` of `@cni/types`.
 *
 * @throws {@link InvokeError} `INVALID_CONF` or `INVALID_NAME`; CniError with code 7 if `ipam.type` is missing.
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
 * Reads the type of the IPAM plugin from a plugin configuration. `undefined` means that the plugin manages no
 * addresses.
 *
 * @throws {@link InvokeError} `INVALID_CONF` if the configuration is not a JSON object.
 */
export function ipamType(conf: PluginInput): string | undefined {
  const { ipam: section } = confObject('', conf)
  return isObject(section) && typeof section.type === 'string' && section.type !== '' ? section.type : undefined
}
