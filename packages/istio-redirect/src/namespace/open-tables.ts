import { openFresh as openIptables } from '@cni/iptables/fresh'
import { tableNames } from '@cni/istio-rules'
import type { Netns } from '@cni/netns/handle'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'

/** Opens the tables that ADD writes to, or returns `undefined` if only programs can write. */
export const openTables = (netns: Netns, isNative: boolean): FreshNftables | undefined =>
  isNative ? openNftables(netns, ownTables()) : openIptables(netns)

// internal

const ownTables = () => tableNames.map((table) => ({ family: 'inet', table }) as const)
