import { openFresh as openIptables } from '@cni/iptables/fresh'
import { tableNames } from '@cni/istio-rules'
import type { Netns } from '@cni/netns/handle'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'

/** Opens what rules go to: tables of our own, or iptables; `undefined` where only programs can write it. */
export const openTables = (netns: Netns, isNative: boolean): FreshNftables | undefined =>
  isNative ? openNftables(netns, ownTables()) : openIptables(netns)

// internal

const ownTables = () => tableNames.map((table) => ({ family: 'inet', table }) as const)
