import { foldMembers, type JsonObject } from '@cni/types'

/** A Multus plugin, and the network that it runs for each pod. */
export interface Delegation {
  /** Type of the Multus plugin: `multus`, or `multus-shim`, the client of the Multus daemon. */
  readonly type: string
  /** Number of networks in the Multus plugin's `delegates`. Multus runs the first one for each pod. */
  readonly delegates: number
  /** Network that Multus runs for each pod instead of the first network in `delegates`. */
  readonly clusterNetwork?: string
}

/** Finds the network to which a Multus plugin delegates. Returns `undefined` for other plugins. */
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
