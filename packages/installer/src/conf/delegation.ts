import { foldMembers, type JsonObject } from '@cni/types'

/** A Multus plugin and the network that it runs for each pod. */
export interface Delegation {
  /** The type: `multus`, or `multus-shim` for the client of its daemon. */
  readonly type: string
  /** The number of networks in its `delegates`. Multus runs the first one for each pod. */
  readonly delegates: number
  /** The file or the name of the network; Multus ignores its `delegates` then. */
  readonly clusterNetwork?: string
}

/** The delegation of a Multus plugin; `undefined` for all other plugins. */
export function delegationOf(plugin: JsonObject): Delegation | undefined {
  const { type, delegates, clusterNetwork } = foldMembers(plugin, ['type', 'delegates', 'clusterNetwork'])
  if (type !== 'multus' && type !== 'multus-shim') return undefined
  const hasNetwork = typeof clusterNetwork === 'string' && clusterNetwork !== ''
  return {
    type,
    delegates: Array.isArray(delegates) ? delegates.length : 0,
    ...(hasNetwork ? { clusterNetwork } : {}),
  }
}
